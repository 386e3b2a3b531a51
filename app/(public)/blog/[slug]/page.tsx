import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { ArticleBody } from "#components/site/blog/article-body.tsx";
import { ArticleFacts, ArticleNotes, ArticleWall } from "#components/site/blog/articles-list.tsx";
import { ArticleThings } from "#components/site/structured-data.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { fillSlots, slugOf } from "#lib/core/text.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import { type Article, findArticle, listArticles } from "#lib/server/articles.ts";
import { productFacts } from "../../../facts.ts";
import { articleMetadata } from "../../../metadata.ts";

type ArticlePageProps = { params: Promise<{ slug: string }> };

const NEIGHBOURS = 2;

export const dynamicParams = false;

export const generateStaticParams = async () => (await listArticles()).map(({ slug }) => ({ slug }));

const articleOf = async ({ params }: ArticlePageProps): Promise<Article> =>
  (await findArticle((await params).slug)) ?? notFound();

export async function generateMetadata(props: ArticlePageProps): Promise<Metadata> {
  return articleMetadata(await articleOf(props));
}

/** The id of a heading is made of what is read, with the slots filled (components/site/blog/article-body.tsx). */
function Contents({ headings }: { headings: readonly string[] }) {
  return (
    <nav className="article-contents" aria-label="In this article">
      <p>In this article</p>
      <ol>
        {headings.map((text) => (
          <li key={text}>
            <a href={`#${slugOf(text)}`}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** An article on paper below its piece of wall. */
export default async function ArticlePage(props: ArticlePageProps) {
  const [article, facts, all] = await Promise.all([articleOf(props), productFacts(), listArticles()]);
  const slots = { product: facts.name, free_credits: String(PLANS.free.creditsPerPeriod) };
  const others = all.filter(({ slug }) => slug !== article.slug).slice(0, NEIGHBOURS);
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <ArticleThings product={facts} article={article} />
      <article>
        <header className="site-width article-head">
          <nav aria-label="Breadcrumb" className="text-sm">
            <Link className="link" href="/blog">
              Blog
            </Link>
          </nav>
          <h1 className="display text-d2">{article.title}</h1>
          <p className="lead max-w-[58ch]">{article.description}</p>
          <ArticleFacts article={article} />
        </header>
        <ArticleWall pins={article.pins} size="head" />
        <div className="site-width article-columns">
          <Contents headings={article.headings.map((heading) => fillSlots(heading, slots))} />
          <ArticleBody>{fillSlots(article.body, slots)}</ArticleBody>
        </div>
      </article>
      <aside className="site-width article-end" aria-label={`Try ${facts.name}`}>
        <p className="title-2">
          {PLANS.free.creditsPerPeriod} credits every month on the free plan: enough to see what a keyword becomes.
        </p>
        <LinkButton href="/register" variant="primary">
          Start free
        </LinkButton>
      </aside>
      <ArticleNotes title="Keep reading" articles={others} />
    </>
  );
}
