"use client";

import { useCallback, useMemo } from "react";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { arrangeVideos, type VideoSort } from "#components/videos/arrange-videos.ts";
import type { ExportFormat } from "#components/videos/extraction-messages.ts";
import { SearchField } from "#components/videos/search-field.tsx";
import { SelectionLine } from "#components/videos/selection-line.tsx";
import type { Extractor } from "#components/videos/use-extractor.ts";
import { VideoGrid } from "#components/videos/video-grid.tsx";
import { VideoTable } from "#components/videos/video-table.tsx";
import { countOf } from "#components/videos/video-texts.ts";
import { VideoTools } from "#components/videos/video-tools.tsx";

const VIEWS = [
  { value: "cards", label: "Cards" },
  { value: "table", label: "Table" },
] as const;

const SORTS: { value: VideoSort; label: string }[] = [
  { value: "page", label: "As on the page" },
  { value: "views", label: "Most views" },
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "author", label: "Author, A to Z" },
];

const FILTER_MAX = 100;

/** The list of extracted videos, how it is arranged, and what can be done with it. */
export function VideoList({ extractor }: { extractor: Extractor }) {
  const { videos, picks, saving, copy, exportAs, arrange, dismissNews } = extractor;
  const { view, sort, q } = extractor.arrangement;
  const shown = useMemo(() => arrangeVideos(videos, q, sort), [videos, q, sort]);
  const areAllSelected = shown.length > 0 && shown.every(({ id }) => picks.ids.has(id));
  // What was said of the selection before is no longer true of this one.
  const selectAll = () => {
    dismissNews();
    picks.set(
      shown.map(({ id }) => id),
      !areAllSelected,
    );
  };
  const { toggle: pick } = picks;
  const toggle = useCallback(
    (id: number) => {
      dismissNews();
      pick(id);
    },
    [dismissNews, pick],
  );
  const exportVideos = async (format: ExportFormat) => {
    const selected = picks.ids.size;
    if (!(await exportAs(format))) return;
    const isPartHidden = selected === 0 && shown.length < videos.length;
    const said = `${countOf(selected || videos.length, "video")} exported`;
    showToast(isPartHidden ? `${said}, with those that the filter hides` : said, { hasCheck: true });
  };
  const copyAddress = useCallback((address: string) => void copy(address), [copy]);
  const list = { videos: shown, selected: picks.ids, onToggle: toggle, onCopy: copyAddress };
  return (
    <section aria-label="Extracted videos">
      <VideoTools
        total={videos.length}
        shown={shown.length}
        selectedCount={picks.ids.size}
        areAllSelected={areAllSelected}
        isSaving={saving.isSaving}
        onSelectAll={selectAll}
        onExport={(format) => void exportVideos(format)}
        onSave={() => void saving.save()}
      />
      <search className="posts-search video-search">
        <SearchField
          label="Filter videos"
          placeholder="Titles, authors, hashtags"
          value={q}
          maxLength={FILTER_MAX}
          onChange={(text) => arrange({ q: text })}
          keys={{ l: selectAll, t: () => arrange({ view: view === "cards" ? "table" : "cards" }) }}
        />
        <SelectField
          label="Order"
          isLabelHidden
          value={sort}
          fieldClassName="posts-sort"
          onChange={(event) => arrange({ sort: event.target.value as VideoSort })}
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <Segment label="View" isLabelHidden options={VIEWS} value={view} onChange={(next) => arrange({ view: next })} />
      </search>
      <SelectionLine count={picks.ids.size} hint="Select videos to save some of them" onClear={picks.clear}>
        <Button size="sm" isBusy={saving.isSaving} onClick={() => void saving.save()}>
          Save
          <span className="sr-only"> selected</span>
        </Button>
      </SelectionLine>
      {shown.length === 0 && (
        <EmptyState
          title={`Nothing found for “${q}”`}
          action={<Button onClick={() => arrange({ q: "" })}>Clear the filter</Button>}
        >
          Each word must be in the title, the author or a hashtag.
        </EmptyState>
      )}
      {shown.length > 0 && (view === "cards" ? <VideoGrid {...list} /> : <VideoTable {...list} />)}
    </section>
  );
}
