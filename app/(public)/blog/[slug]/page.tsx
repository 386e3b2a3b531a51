import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { ArticleBody } from "#components/site/blog/article-body.tsx";
import { ArticleCover, ArticleFacts, ArticleNotes } from "#components/site/blog/articles-list.tsx";
import { ArticleJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { fillSlots, slugOf } from "#lib/core/text.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import { type Article, findArticle, listArticles } from "#lib/server/articles.ts";
import { productFacts } from "../../../facts.ts";
import { articleMetadata } from "../../../metadata.ts";

type ArticlePageProps = { params: Promise<{ slug: string }> };

const RELATED_COUNT = 2;

export const dynamicParams = false;

export const generateStaticParams = async () => (await listArticles()).map(({ slug }) => ({ slug }));

const articleOf = async ({ params }: ArticlePageProps): Promise<Article> =>
  (await findArticle((await params).slug)) ?? notFound();

export async function generateMetadata(props: ArticlePageProps): Promise<Metadata> {
  return articleMetadata(await articleOf(props));
}

/** Heading ids derive from the visible text, with slots filled (see article-body.tsx). */
function Contents({ headings }: { headings: readonly string[] }) {
  return (
    <nav
      className={cn(
        "sticky top-8 self-start text-sm/[1.45] text-ink-3",
        "max-[68.8125rem]:static max-[68.8125rem]:pb-6 max-[68.8125rem]:border-b max-[68.8125rem]:border-line",
        "[&>p]:mb-2.5 [&>p]:font-semibold [&>p]:text-ink [&_li+li]:mt-0.5 [&_a]:inline-block [&_a]:py-1",
        "[&_a:hover]:text-ink [&_a:hover]:underline [&_a:hover]:underline-offset-3",
      )}
      aria-label="In this article"
    >
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

/** An article below its cover. */
export default async function ArticlePage(props: ArticlePageProps) {
  const [article, facts, all] = await Promise.all([articleOf(props), productFacts(), listArticles()]);
  const slots = { product: facts.name, free_credits: String(PLANS.free.creditsPerPeriod) };
  const others = all.filter(({ slug }) => slug !== article.slug).slice(0, RELATED_COUNT);
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <ArticleJsonLd product={facts} article={article} />
      <article>
        <header
          className={cn(
            "site-width grid gap-5.5",
            "pt-[clamp(28px,4vw,56px)] pb-[clamp(36px,4.6vw,64px)] [&>h1]:max-w-[17em]",
          )}
        >
          <nav aria-label="Breadcrumb" className="text-sm">
            <Link className="link" href="/blog">
              Blog
            </Link>
          </nav>
          <h1 className="display text-d2">{article.title}</h1>
          <p className="lead max-w-[58ch]">{article.description}</p>
          <ArticleFacts article={article} />
        </header>
        <ArticleCover pins={article.pins} size="head" />
        <div
          className={cn(
            "site-width grid",
            "grid-cols-[minmax(0,1fr)_minmax(0,680px)_minmax(0,1fr)] gap-10 pt-[clamp(40px,5vw,72px)]",
            "max-[68.8125rem]:grid-cols-[minmax(0,680px)] max-[68.8125rem]:justify-center",
          )}
        >
          <Contents headings={article.headings.map((heading) => fillSlots(heading, slots))} />
          <ArticleBody>{fillSlots(article.body, slots)}</ArticleBody>
        </div>
      </article>
      <aside
        className={cn(
          "w-full mx-auto px-(--gutter) flex flex-wrap justify-between items-center gap-y-5 gap-x-10",
          "max-w-[calc(680px_+_2_*_var(--gutter))] mt-[clamp(40px,5vw,72px)] [&>p]:max-w-[24em]",
        )}
        aria-label={`Try ${facts.name}`}
      >
        <p className="title-2">
          Get {PLANS.free.creditsPerPeriod} free credits every month and see what your keywords can become.
        </p>
        <LinkButton href="/register" variant="primary">
          Start free
        </LinkButton>
      </aside>
      <ArticleNotes title="Keep reading" articles={others} />
    </>
  );
}
