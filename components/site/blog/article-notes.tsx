import Link from "next/link";
import { ArticleCard } from "#components/site/blog/article-card.tsx";
import type { ArticleSummary } from "#components/site/blog/article-facts.tsx";

/** A few articles below something else: on the landing page, and at the end of another article. */
export function ArticleNotes({ title, articles }: { title: string; articles: readonly ArticleSummary[] }) {
  return (
    <section className="site-width site-section" aria-labelledby="notes-title">
      <div className="article-notes-head">
        <h2 id="notes-title" className="display text-d3">
          {title}
        </h2>
        <Link className="link" href="/blog">
          All articles
        </Link>
      </div>
      <div className="article-cards">
        {articles.map((article) => (
          <ArticleCard key={article.slug} article={article} headingLevel={3} />
        ))}
      </div>
    </section>
  );
}
