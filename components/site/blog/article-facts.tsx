import { formatDate } from "#lib/core/time.ts";

/** What lists of articles show of one. */
export type ArticleSummary = {
  slug: string;
  title: string;
  description: string;
  publishedAt: string;
  updatedAt?: string;
  topic: string;
  pins: readonly string[];
  minutes: number;
};

/** A day as `2026-11-20`, in words; a day has no zone. */
const dayInWords = (day: string): string => formatDate(`${day}T12:00:00Z`, "UTC");

/** Topic, day and length of an article. */
export function ArticleFacts({ article }: { article: ArticleSummary }) {
  return (
    <p className="article-facts num">
      <span>{article.topic}</span>
      <time dateTime={article.publishedAt}>{dayInWords(article.publishedAt)}</time>
      {article.updatedAt && (
        <span>
          updated <time dateTime={article.updatedAt}>{dayInWords(article.updatedAt)}</time>
        </span>
      )}
      <span>{article.minutes} min</span>
    </p>
  );
}
