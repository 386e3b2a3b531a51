import { cn } from "#components/ui/cn.ts";
import type {
  ExtractedVideo,
  Extraction,
  PageKind,
  SkipReason,
  Source,
  SourcedField,
} from "#lib/features/videos/engine/types.ts";

const PAGES: Record<PageKind, string> = {
  profile: "a profile",
  search: "a search",
  hashtag: "a hashtag page",
  explore: "the explore page",
  discover: "a discover page",
  collection: "a collection or playlist",
  feed: "a feed",
  video: "a video page",
  api: "a TikTok API response",
  unknown: "an unknown type of page",
};

const REASONS: Record<SkipReason, string> = {
  "no-link": "Items without a video link",
  "bad-id": "Links with an invalid video ID",
  "too-large": "Sections too large to read",
  "bad-json": "Data we couldn't read",
  duplicate: "Duplicates, merged into the listed video",
  "too-many": "Videos beyond the limit for one page",
  "not-shown": "Videos in embedded data that the page doesn't show",
  unreadable: "Cards that couldn't be read",
};

const FIELDS: Record<SourcedField, string> = {
  title: "Title",
  author: "Creator",
  thumbnail_url: "Thumbnail",
  views_count: "Views",
  likes_count: "Likes",
  date_posted: "Date",
  duration_seconds: "Duration",
  hashtags: "Hashtags",
};

const SOURCES: Record<Source, string> = {
  json: "embedded data",
  dom: "page text",
  alt: "image descriptions",
  link: "links",
  id: "video IDs",
};

/** How many videos got each field from which source, most frequent first. */
const sourcesOf = (videos: readonly ExtractedVideo[]): { field: string; text: string }[] =>
  (Object.keys(FIELDS) as SourcedField[]).map((field) => {
    const counts = new Map<Source, number>();
    for (const { sources } of videos) {
      const source = sources[field];
      if (source) counts.set(source, (counts.get(source) ?? 0) + 1);
    }
    const text = [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([source, count]) => `${SOURCES[source]} (${count.toLocaleString("en")})`);
    return { field: FIELDS[field], text: text.join(", ") || "not on the page" };
  });

/** The sources of the fields, and what was skipped and why. */
export function ExtractionReport({ extraction: { videos, page, skipped } }: { extraction: Extraction }) {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  return (
    <details
      className={cn(
        "rounded-card bg-surface shadow-card mt-5.5 text-sm",
        "[&>summary]:flex [&>summary]:flex-wrap [&>summary]:gap-y-0.5 [&>summary]:gap-x-3",
        "[&>summary]:min-h-11 [&>summary]:py-3 [&>summary]:px-5 [&>summary]:rounded-card",
        "[&>summary]:font-[550] [&>summary]:leading-[1.4] [&>summary]:cursor-pointer",
        "[&>summary>span]:font-normal",
      )}
    >
      <summary>
        How we read this page
        <span className="text-ink-3">
          {PAGES[page]}, {left === 0 ? "nothing skipped" : `${left.toLocaleString("en")} skipped`}
        </span>
      </summary>
      <div
        className={cn(
          "grid gap-4.5 pt-1 pb-5 px-5 [&_dl]:grid [&_dl]:gap-1.5",
          "[&_dl>div]:grid [&_dl>div]:grid-cols-[minmax(0,15rem)_minmax(0,1fr)] [&_dl>div]:gap-y-0.5",
          "[&_dl>div]:gap-x-4 [&_dt]:text-ink-3 max-md:[&_dl>div]:grid-cols-1 max-md:[&_dl>div]:pb-1.5",
        )}
      >
        {videos.length > 0 && (
          <dl>
            {sourcesOf(videos).map(({ field, text }) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd className="num">{text}</dd>
              </div>
            ))}
          </dl>
        )}
        {skipped.length > 0 && (
          <dl>
            {skipped.map(({ reason, count, offset }) => (
              <div key={reason}>
                <dt>{REASONS[reason]}</dt>
                <dd className="num">
                  {count.toLocaleString("en")}, the first at character {(offset + 1).toLocaleString("en")}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </details>
  );
}
