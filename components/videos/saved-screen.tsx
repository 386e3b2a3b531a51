"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { ListFooter, SearchRow } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import { TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";
import { SearchField, SelectionLine, StatusBanner } from "./list-tools.tsx";
import { SavedCard, type SavedTool } from "./saved-card.tsx";
import { SavedDialogs } from "./saved-dialogs.tsx";
import type { SavedList, SavedQuery } from "./saved-query.ts";
import { type FirstSaved, type Saved, useSaved, useSavedDeletion } from "./use-saved.ts";
import { useCopy, useSelectedIds } from "./use-selected-ids.ts";

/** The next page is loaded this far ahead of the screen, in pixels. */
const AHEAD_PX = 900;

type SavedMoreProps = { more: Saved["more"]; shown: number; found: number };

/** Shows how much of the list is loaded, and loads more on scroll or by button. */
function SavedMore({ more, shown, found }: SavedMoreProps) {
  const { hasMore, isReading, error, read } = more;
  const hasFailed = error !== null;
  const foot = useRef<HTMLDivElement>(null);
  const shouldLoad = hasMore && !isReading && !hasFailed;
  const loadMore = useEffectEvent(read);
  // Observes again after each page, since the end may still be in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const { current } = foot;
    if (!current || !shouldLoad) return;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && loadMore(), {
      rootMargin: `${AHEAD_PX}px 0px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [shouldLoad, shown]);
  if (!hasMore) return null;
  return (
    <ListFooter ref={foot}>
      <p role="status" className="num">
        {hasFailed
          ? "We couldn't load more videos."
          : `${shown.toLocaleString("en")} of ${found.toLocaleString("en")} shown`}
      </p>
      <Button onClick={read} isBusy={isReading}>
        {hasFailed ? "Try again" : "Show more"}
      </Button>
    </ListFooter>
  );
}

/** Searches start this long after the last keystroke. */
const SEARCH_DELAY_MS = 250;
const SEARCH_MAX = 100;

type SavedSearchProps = {
  query: SavedQuery;
  list: SavedList | null;
  isStale: boolean;
  onNarrow: (part: Partial<SavedQuery>) => void;
};

/** Search, hashtag filter, and their counts. */
function SavedSearch({ query, list, isStale, onNarrow }: SavedSearchProps) {
  const [text, setText] = useState(query.q);
  const [appliedQuery, setAppliedQuery] = useState(query.q);
  // The search was cleared elsewhere.
  if (query.q !== appliedQuery) {
    setAppliedQuery(query.q);
    if (text.trim() !== query.q) setText(query.q);
  }
  const apply = useEffectEvent((q: string) => {
    if (q !== query.q) onNarrow({ q });
  });
  useEffect(() => {
    const timer = setTimeout(() => apply(text.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const hashtags = list?.hashtags ?? [];
  const chosen = hashtags.find(({ hashtag }) => hashtag.toLowerCase() === query.hashtag.toLowerCase());
  const counts = list?.counts;
  return (
    <SearchRow className="max-md:[&>*]:flex-[1_1_100%] max-md:[&>*]:max-w-none max-md:[&>*]:w-auto">
      <SearchField
        label="Search saved videos"
        className="max-w-110 flex-[1_1_170px]"
        placeholder="Title or creator"
        value={text}
        maxLength={SEARCH_MAX}
        onChange={setText}
      />
      <SelectField
        label="Hashtag"
        isLabelHidden
        value={chosen?.hashtag ?? query.hashtag}
        fieldClassName="flex-[0_1_auto] w-47.5 max-[64rem]:grow"
        onChange={(event) => onNarrow({ hashtag: event.target.value })}
      >
        <option value="">All Hashtags</option>
        {query.hashtag !== "" && !chosen && <option value={query.hashtag}>#{query.hashtag}</option>}
        {hashtags.map(({ hashtag }) => (
          <option key={hashtag} value={hashtag}>
            #{hashtag}
          </option>
        ))}
      </SelectField>
      <p
        data-slot="saved-counts"
        className={cn(
          "flex flex-wrap gap-y-0 gap-x-3.5 min-h-[1.4em] mt-0 mb-[11px] mr-0 ml-auto text-sm/[1.4]",
          "text-ink-3 max-md:m-0 [&>b]:font-semibold [&>b]:text-ink num",
        )}
        role="status"
      >
        {counts && !isStale && (
          <>
            <b>
              {counts.found.toLocaleString("en")} of {counts.total.toLocaleString("en")} videos
            </b>
            <span>{counts.views.toLocaleString("en")} total views</span>
          </>
        )}
      </p>
    </SearchRow>
  );
}

const EXTRACTOR = "/app/videos";

/** Keeps search and hashtag in the URL, so that a reload shows the same list. */
const useQueryInUrl = ({ q, hashtag }: FirstSaved["query"]): void =>
  useEffect(
    () =>
      editQuery((search) => {
        search.delete(SAME_DOCUMENT);
        for (const [name, value] of [["q", q] as const, ["hashtag", hashtag] as const]) {
          if (value) search.set(name, value);
          else search.delete(name);
        }
      }),
    [q, hashtag],
  );

const GRID = cn(
  "grid grid-cols-[repeat(auto-fill,minmax(min(100%,230px),1fr))] gap-5.5 aria-busy:opacity-55",
  "aria-busy:transition-[opacity] aria-busy:delay-[120ms] aria-busy:duration-(--dur-hover) aria-busy:ease-out",
  "max-md:grid-cols-2 max-md:gap-3 max-[35rem]:grid-cols-1",
);

/** The Saved TikTok Videos screen. */
export function SavedScreen({ first, creatorPath }: { first: FirstSaved; creatorPath: string | null }) {
  const saved = useSaved(first);
  const { query, narrow, list, more } = saved;
  const selection = useSelectedIds<string>();
  const [problem, setProblem] = useState<string | null>(null);
  const [open, setOpen] = useState<{ tool: SavedTool; video: SavedVideoWire } | null>(null);
  const deletion = useSavedDeletion({ ...saved, onFailed: setProblem });
  const copy = useCopy(setProblem);
  useQueryInUrl(query);

  const videos = list?.videos ?? [];
  const selected = videos.filter(({ id }) => selection.ids.has(id));
  const { hashtag } = query;
  const toggleHashtag = useCallback(
    (one: string) => narrow({ hashtag: one.toLowerCase() === hashtag.toLowerCase() ? "" : one }),
    [narrow, hashtag],
  );
  const use = useCallback((tool: SavedTool, video: SavedVideoWire) => {
    setProblem(null);
    setOpen({ tool, video });
  }, []);
  const dismiss = useCallback(() => setProblem(null), []);
  const copyUrl = useCallback((url: string) => void copy(url), [copy]);
  const deleteSelected = async () => {
    setProblem(null);
    if (await deletion.deleteAll(selected)) selection.clear();
  };
  const isNarrowed = query.q !== "" || hashtag !== "";

  return (
    <>
      <PageHeader
        title="Saved TikTok Videos"
        action={
          <LinkButton variant="primary" href={EXTRACTOR}>
            Extract New Videos
          </LinkButton>
        }
      >
        Find your saved videos by title, creator, or hashtag. Add notes and turn ideas into keywords.
      </PageHeader>
      <StatusBanner status={problem === null ? null : { tone: "failed", text: problem }} onDismiss={dismiss}>
        {saved.hasFailed && (
          <Banner
            tone="failed"
            action={
              <Button size="sm" onClick={saved.reload}>
                Try again
              </Button>
            }
          >
            {TEXTS.loadFailed}
          </Banner>
        )}
      </StatusBanner>
      {(isNarrowed || list?.counts.total !== 0) && (
        <SavedSearch query={query} list={list} isStale={saved.isStale} onNarrow={narrow} />
      )}
      {videos.length > 0 && (
        <>
          <h2 className="sr-only">Your videos</h2>
          <SelectionLine count={selected.length} hint="Select videos to delete" onClear={selection.clear}>
            <Button size="sm" variant="danger-quiet" isBusy={deletion.isDeleting} onClick={() => void deleteSelected()}>
              Delete
              <span className="sr-only"> selected</span>
            </Button>
          </SelectionLine>
        </>
      )}
      {list && videos.length === 0 && !more.hasMore && (
        <EmptyState
          title="No saved videos found."
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {isNarrowed && (
                <Button variant="primary" onClick={() => narrow({ q: "", hashtag: "" })}>
                  Show all videos
                </Button>
              )}
              <LinkButton variant={isNarrowed ? "secondary" : "primary"} href={EXTRACTOR}>
                Extract TikTok Videos
              </LinkButton>
            </div>
          }
        >
          {isNarrowed
            ? "Try fewer words. Every word has to appear in the title or creator."
            : "Paste a page into the extractor, select videos, and save them."}
        </EmptyState>
      )}
      {videos.length > 0 && (
        <ul aria-label="Saved videos" aria-busy={saved.isStale} className={GRID}>
          {videos.map((video) => (
            <SavedCard
              key={video.id}
              video={video}
              isSelected={selection.ids.has(video.id)}
              hashtag={hashtag}
              onToggle={selection.toggle}
              onHashtag={toggleHashtag}
              onCopy={copyUrl}
              onUse={use}
            />
          ))}
        </ul>
      )}
      {list && <SavedMore more={more} shown={videos.length} found={list.counts.found} />}
      <SavedDialogs
        open={open}
        creatorPath={creatorPath}
        isDeleting={deletion.isDeleting}
        onClose={() => setOpen(null)}
        onSaved={saved.replace}
        onDelete={deletion.deleteOne}
      />
    </>
  );
}
