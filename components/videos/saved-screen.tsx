"use client";

import { useCallback, useEffect, useState } from "react";
import { PageHead } from "#components/shell/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { NewsLine } from "#components/videos/news-line.tsx";
import { SavedCard, type SavedTool } from "#components/videos/saved-card.tsx";
import { SavedDialogs } from "#components/videos/saved-dialogs.tsx";
import { SavedMore } from "#components/videos/saved-more.tsx";
import { SavedSearch } from "#components/videos/saved-search.tsx";
import { SelectionLine } from "#components/videos/selection-line.tsx";
import { useCopy } from "#components/videos/use-copy.ts";
import { usePicks } from "#components/videos/use-picks.ts";
import { type FirstSaved, useSaved } from "#components/videos/use-saved.ts";
import { useSavedDeletion } from "#components/videos/use-saved-deletion.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import { TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

const EXTRACTOR = "/app/videos";

/** Keeps search and hashtag in the address, so that a reload shows the same. */
const useQueryAddress = ({ q, hashtag }: FirstSaved["query"]): void =>
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

/** Saved TikTok Videos (R-SAV-01 to R-SAV-14). */
export function SavedScreen({ first, creatorPath }: { first: FirstSaved; creatorPath: string | null }) {
  const saved = useSaved(first);
  const { query, narrow, list, more } = saved;
  const picks = usePicks<string>();
  const [problem, setProblem] = useState<string | null>(null);
  const [open, setOpen] = useState<{ tool: SavedTool; video: SavedVideoWire } | null>(null);
  const deletion = useSavedDeletion({ ...saved, onFailed: setProblem });
  const copy = useCopy(setProblem);
  useQueryAddress(query);

  const videos = list?.videos ?? [];
  const selected = videos.filter(({ id }) => picks.ids.has(id));
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
  const copyAddress = useCallback((address: string) => void copy(address), [copy]);
  const deleteSelected = async () => {
    setProblem(null);
    if (await deletion.removeAll(selected)) picks.clear();
  };
  const isNarrowed = query.q !== "" || hashtag !== "";

  return (
    <>
      <PageHead
        title="Saved TikTok Videos"
        action={
          <LinkButton variant="primary" href={EXTRACTOR}>
            Extract New Videos
          </LinkButton>
        }
      >
        What you keep from the extractor: find it by title, author or hashtag, write on it, and turn an idea into
        keywords.
      </PageHead>
      <NewsLine news={problem === null ? null : { tone: "failed", text: problem }} onDismiss={dismiss}>
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
      </NewsLine>
      {(isNarrowed || list?.counts.total !== 0) && (
        <SavedSearch query={query} list={list} isStale={saved.isStale} onNarrow={narrow} />
      )}
      {videos.length > 0 && (
        <>
          <h2 className="sr-only">Your videos</h2>
          <SelectionLine count={selected.length} hint="Select videos to delete several at once" onClear={picks.clear}>
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
            ? "Each word of the search must be in the title or the author."
            : "Paste a page into the extractor, select videos and save them."}
        </EmptyState>
      )}
      {videos.length > 0 && (
        <ul aria-label="Saved videos" aria-busy={saved.isStale} className="video-grid">
          {videos.map((video) => (
            <SavedCard
              key={video.id}
              video={video}
              isSelected={picks.ids.has(video.id)}
              hashtag={hashtag}
              onToggle={picks.toggle}
              onHashtag={toggleHashtag}
              onCopy={copyAddress}
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
        onDelete={deletion.removeOne}
      />
    </>
  );
}
