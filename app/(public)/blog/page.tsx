import Link from "next/link";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import {
  ARTICLE,
  ARTICLE_LINK,
  ArticleCard,
  ArticleCover,
  ArticleFacts,
} from "#components/site/blog/articles-list.tsx";
import { SectionHeader } from "#components/site/page-parts.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { listArticles } from "#lib/server/articles.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/blog");

/** The newest article large, the others in a grid. */
export default async function BlogPage() {
  const [facts, [newest, ...others]] = await Promise.all([productFacts(), listArticles()]);
  return (
    <div className={cn("site-width", "pt-[clamp(36px,5.2vw,76px)] pb-[clamp(20px,3vw,48px)]")}>
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <PageJsonLd product={facts} path="/blog" />
      <SectionHeader>
        <h1 className="display text-d2">
          Notes for people <em>who pin</em>
        </h1>
        <div className="grid justify-items-start gap-3">
          <p className="lead">
            Pin sizes, keywords, scheduling, and AI labels: what we’ve learned from building a Pinterest tool.
          </p>
          <a className="link text-sm" href="/blog/rss.xml">
            RSS
          </a>
        </div>
      </SectionHeader>
      {newest && (
        <article
          className={cn(
            ARTICLE,
            "mb-[clamp(48px,6vw,88px)] grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)] gap-[clamp(28px,4.6vw,72px)]",
            "max-lg:grid-cols-[1fr]",
          )}
        >
          <ArticleCover pins={newest.pins} size="lead" />
          <div className="grid content-center gap-4">
            <ArticleFacts article={newest} />
            <h2 className="display text-d3">
              <Link className={ARTICLE_LINK} href={`/blog/${newest.slug}`}>
                {newest.title}
              </Link>
            </h2>
            <p className="lead">{newest.description}</p>
          </div>
        </article>
      )}
      <div
        className={cn(
          "grid grid-cols-[repeat(auto-fit,minmax(min(300px,100%),1fr))] gap-y-[clamp(36px,4vw,56px)]",
          "gap-x-[clamp(24px,3vw,44px)]",
        )}
      >
        {others.map((article) => (
          <ArticleCard key={article.slug} article={article} />
        ))}
      </div>
    </div>
  );
}
