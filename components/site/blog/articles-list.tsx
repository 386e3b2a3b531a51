import Link from "next/link";
import { Board, Pin } from "#components/shared/pin.tsx";
import { Thread } from "#components/shared/thread.tsx";
import { PosterImage } from "#components/site/poster-boards.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatDate } from "#lib/core/time.ts";

type ArticleSummary = {
  slug: string;
  title: string;
  description: string;
  publishedAt: string;
  updatedAt?: string;
  topic: string;
  pins: readonly string[];
  minutes: number;
};

/** Formats a date like `2026-11-20`, which has no time zone. */
const formatDay = (day: string): string => formatDate(`${day}T12:00:00Z`, "UTC");

/** Topic, date and reading time of an article. */
export function ArticleFacts({ article }: { article: ArticleSummary }) {
  return (
    <p
      className={cn(
        "flex flex-wrap gap-y-0.5 gap-x-3.5 text-sm text-ink-3",
        "[&>:first-child]:font-semibold [&>:first-child]:text-accent-ink num",
      )}
    >
      <span>{article.topic}</span>
      <time dateTime={article.publishedAt}>{formatDay(article.publishedAt)}</time>
      {article.updatedAt && (
        <span>
          updated <time dateTime={article.updatedAt}>{formatDay(article.updatedAt)}</time>
        </span>
      )}
      <span>{article.minutes} min</span>
    </p>
  );
}

/** Classes of an article that is a link as a whole; its pins lift on hover. */
export const ARTICLE = cn(
  "relative grid [&_.pin-face]:shadow-pin [&:has(h2_a:hover,h3_a:hover)_.pin-face]:shadow-(--shadow-pin-lift)",
);
export const ARTICLE_LINK = "after:absolute after:inset-0 hover:text-accent-ink";

type ArticleCardProps = { article: ArticleSummary; headingLevel?: 2 | 3 };

/** A card with the cover, title and description of an article. */
export function ArticleCard({ article, headingLevel = 2 }: ArticleCardProps) {
  const Heading = headingLevel === 2 ? "h2" : "h3";
  return (
    <article className={cn(ARTICLE, "content-start gap-3")}>
      <ArticleCover pins={article.pins} size="card" />
      <ArticleFacts article={article} />
      <Heading className="title-2">
        <Link className={ARTICLE_LINK} href={`/blog/${article.slug}`}>
          {article.title}
        </Link>
      </Heading>
      <p className="text-ink-2 text-pretty">{article.description}</p>
    </article>
  );
}

/** A section with a few articles. */
export function ArticleNotes({ title, articles }: { title: string; articles: readonly ArticleSummary[] }) {
  return (
    <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="notes-title">
      <div className="flex flex-wrap justify-between items-baseline gap-y-3 gap-x-7 mb-[clamp(28px,3.4vw,48px)]">
        <h2 id="notes-title" className="display text-d3">
          {title}
        </h2>
        <Link className="link" href="/blog">
          All articles
        </Link>
      </div>
      <div
        className={cn(
          "grid grid-cols-[repeat(auto-fit,minmax(min(300px,100%),1fr))] gap-y-[clamp(36px,4vw,56px)]",
          "gap-x-[clamp(24px,3vw,44px)]",
        )}
      >
        {articles.map((article) => (
          <ArticleCard key={article.slug} article={article} headingLevel={3} />
        ))}
      </div>
    </section>
  );
}

type ArticleCoverProps = {
  /** Names of pins in public/pins, in the order of the thread. */
  pins: readonly string[];
  /** `card` in lists, `lead` beside the newest article, `head` across the top of an article. */
  size: "card" | "lead" | "head";
};

/** Sizes of the cover and positions of its pins along the thread, in px. */
const LAYOUTS = {
  card: { width: 360, height: 260, pinPx: 104, tops: [48, 74, 42] },
  lead: { width: 620, height: 420, pinPx: 176, tops: [66, 102, 54] },
  head: { width: 1240, height: 420, pinPx: 188, tops: [60, 92, 48, 84, 56] },
} as const;
const HEIGHTS = { card: "h-65 mb-2", lead: "h-105 max-md:h-80", head: "h-105 max-md:h-76" } as const;

/** The decorative cover of an article: pins on a thread. */
export function ArticleCover({ pins, size }: ArticleCoverProps) {
  const { width, height, pinPx, tops } = LAYOUTS[size];
  const shown = pins.slice(0, tops.length);
  const gap = width / shown.length;
  const places = shown.map((name, index) => ({ name, x: gap * (index + 0.5), y: tops[index] ?? tops[0] }));
  const ends = { from: { x: -400, y: 30 }, to: { x: width + 400, y: 24 } };
  return (
    <Board
      isBleeding={size === "head"}
      className={cn("grid grid-cols-[100%] place-items-center overflow-hidden", HEIGHTS[size])}
      aria-hidden="true"
    >
      <div
        className={cn("relative flex-none [&>svg]:z-1", size !== "card" && "max-md:[zoom:0.72]")}
        style={{ width, height }}
      >
        <Thread points={[ends.from, ...places, ends.to]} width={width} height={height} />
        {places.map(({ name, x, y }) => (
          <span key={name} className="placed block" style={{ left: x - pinPx / 2, top: y, width: pinPx }}>
            <Pin state="published" size={size === "card" ? "sm" : "md"}>
              <PosterImage name={name} alt="" widthPx={pinPx} isEager={size !== "card"} />
            </Pin>
          </span>
        ))}
      </div>
    </Board>
  );
}
