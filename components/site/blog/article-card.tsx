import Link from "next/link";
import { ArticleFacts, type ArticleSummary } from "#components/site/blog/article-facts.tsx";
import { ArticleWall } from "#components/site/blog/article-wall.tsx";

type ArticleCardProps = { article: ArticleSummary; headingLevel?: 2 | 3 };

/** An article as a piece of wall with its title below; the whole of it is the link. */
export function ArticleCard({ article, headingLevel = 2 }: ArticleCardProps) {
  const Heading = headingLevel === 2 ? "h2" : "h3";
  return (
    <article className="article-card">
      <ArticleWall pins={article.pins} size="card" />
      <ArticleFacts article={article} />
      <Heading className="title-2">
        <Link className="article-link" href={`/blog/${article.slug}`}>
          {article.title}
        </Link>
      </Heading>
      <p className="text-ink-2 text-pretty">{article.description}</p>
    </article>
  );
}
