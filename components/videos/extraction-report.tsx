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
  hashtag: "a hashtag's page",
  explore: "the explore page",
  discover: "a discover page",
  video: "a video's page",
  api: "an answer of the site's API",
  unknown: "a page of an unknown kind",
};

const REASONS: Record<SkipReason, string> = {
  "no-link": "Cards without a link to a video",
  "bad-id": "Links whose id is not a video's",
  "too-large": "Parts too large or too deep to read",
  "bad-json": "Embedded data that is broken",
  duplicate: "Further cards of a video in the list, merged into it",
  "too-many": "Videos beyond the most that one page may have",
  "not-shown": "Videos in embedded data that this page does not show",
  unreadable: "Cards that could not be read",
};

const FIELDS: Record<SourcedField, string> = {
  title: "Title",
  author: "Author",
  thumbnail_url: "Thumbnail",
  views_count: "Views",
  likes_count: "Likes",
  date_posted: "Date",
  hashtags: "Hashtags",
};

const SOURCES: Record<Source, string> = {
  json: "embedded data",
  dom: "the page's text",
  alt: "pictures' descriptions",
  link: "links",
  id: "the video's id",
};

/** For each field, how many videos have it from where, the most frequent first. */
const sourcesOf = (videos: readonly ExtractedVideo[]): { field: string; words: string }[] =>
  (Object.keys(FIELDS) as SourcedField[]).map((field) => {
    const counts = new Map<Source, number>();
    for (const { sources } of videos) {
      const source = sources[field];
      if (source) counts.set(source, (counts.get(source) ?? 0) + 1);
    }
    const words = [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([source, count]) => `${SOURCES[source]} (${count.toLocaleString("en")})`);
    return { field: FIELDS[field], words: words.join(", ") || "not on the page" };
  });

/** What was read from where, and what was left out and why (R-VID-24). */
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
        How this was read
        <span className="text-ink-3">
          {PAGES[page]}, {left === 0 ? "nothing left out" : `${left.toLocaleString("en")} left out`}
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
            {sourcesOf(videos).map(({ field, words }) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd className="num">{words}</dd>
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
