"use client";

import Braces from "lucide-react/icons/braces";
import CheckCheck from "lucide-react/icons/check-check";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import FileText from "lucide-react/icons/file-text";
import Save from "lucide-react/icons/save";
import Sheet from "lucide-react/icons/sheet";
import Table from "lucide-react/icons/table-2";
import { useCallback, useMemo } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { SearchRow } from "#components/shared/list-parts.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { countOf } from "#lib/core/text.ts";
import type { Extractor } from "./extractor-context.tsx";
import { SearchField, SelectionLine } from "./list-tools.tsx";
import { VideoGrid } from "./video-grid.tsx";
import { VideoTable } from "./video-table.tsx";
import { arrangeVideos, saveText, VIDEO_TEXTS, type VideoSort } from "./video-texts.ts";
import type { ExportFormat } from "./worker-client.ts";

type VideoToolsProps = {
  total: number;
  /** How many match the filter. */
  shown: number;
  selectedCount: number;
  areAllSelected: boolean;
  isSaving: boolean;
  onSelectAll: () => void;
  onExport: (format: ExportFormat) => void;
  onSave: () => void;
};

/** The count of videos, and actions for all or the selected ones. */
function VideoTools(props: VideoToolsProps) {
  const { total, shown, selectedCount, areAllSelected, isSaving, onSelectAll, onExport, onSave } = props;
  const part = shown === total ? null : `${shown.toLocaleString("en")} of ${countOf(total, "video")}`;
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-2 mt-8 mb-4.5 mx-0",
        "max-md:grid max-md:grid-cols-[1fr_1fr] [&>h2]:mr-auto max-[64rem]:[&>h2]:w-full",
        "max-[64rem]:[&>:last-child]:ml-auto",
        "max-md:[&>:is(h2,:last-child)]:col-span-full max-md:[&>:is(h2,:last-child)]:mx-0 max-md:[&>button]:min-h-11",
      )}
    >
      <h2 className="title-2 num">{part ?? countOf(total, "video")}</h2>
      <span className="sr-only" role="status">
        {part}
      </span>
      <Button size="sm" variant="quiet" aria-keyshortcuts="l" disabled={shown === 0} onClick={onSelectAll}>
        <CheckCheck aria-hidden="true" />
        {areAllSelected ? VIDEO_TEXTS.deselectAll : VIDEO_TEXTS.selectAll}
      </Button>
      <Button size="sm" onClick={() => onExport("json")}>
        <Braces aria-hidden="true" />
        Export JSON
      </Button>
      <Button size="sm" onClick={() => onExport("csv")}>
        <Table aria-hidden="true" />
        Export CSV
      </Button>
      <Menu
        label="More formats"
        trigger={
          <Button size="sm" aria-label="More formats">
            <MoreHorizontal aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem icon={<Sheet aria-hidden="true" />} onSelect={() => onExport("xlsx")}>
          Export XLSX
        </MenuItem>
        <MenuItem icon={<FileText aria-hidden="true" />} onSelect={() => onExport("ndjson")}>
          Export NDJSON
        </MenuItem>
      </Menu>
      <Button size="sm" variant="primary" isBusy={isSaving} busyLabel="Saving..." onClick={onSave}>
        <Save aria-hidden="true" />
        {saveText(selectedCount)}
      </Button>
    </div>
  );
}

const VIEWS = [
  { value: "cards", label: "Cards" },
  { value: "table", label: "Table" },
] as const;

const SORTS: { value: VideoSort; label: string }[] = [
  { value: "page", label: "Page order" },
  { value: "views", label: "Most views" },
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "author", label: "Creator, A to Z" },
];

const FILTER_MAX = 100;

/** The extracted videos with filter, order and actions. */
export function VideoList({ extractor }: { extractor: Extractor }) {
  const { videos, selection, saving, copy, exportAs, arrange, dismissStatus } = extractor;
  const { view, sort, q } = extractor.arrangement;
  const shown = useMemo(() => arrangeVideos(videos, q, sort), [videos, q, sort]);
  const areAllSelected = shown.length > 0 && shown.every(({ id }) => selection.ids.has(id));
  // The status of the previous selection no longer applies.
  const selectAll = () => {
    dismissStatus();
    selection.set(
      shown.map(({ id }) => id),
      !areAllSelected,
    );
  };
  const { toggle: pick } = selection;
  const toggle = useCallback(
    (id: number) => {
      dismissStatus();
      pick(id);
    },
    [dismissStatus, pick],
  );
  const exportVideos = async (format: ExportFormat) => {
    const selected = selection.ids.size;
    if (!(await exportAs(format))) return;
    const isPartHidden = selected === 0 && shown.length < videos.length;
    const text = `${countOf(selected || videos.length, "video")} exported`;
    showToast(isPartHidden ? `${text}, including those hidden by the filter` : text, { hasCheck: true });
  };
  const copyUrl = useCallback((url: string) => void copy(url), [copy]);
  const list = { videos: shown, selected: selection.ids, onToggle: toggle, onCopy: copyUrl };
  return (
    <section aria-label="Extracted videos">
      <VideoTools
        total={videos.length}
        shown={shown.length}
        selectedCount={selection.ids.size}
        areAllSelected={areAllSelected}
        isSaving={saving.isSaving}
        onSelectAll={selectAll}
        onExport={(format) => void exportVideos(format)}
        onSave={() => void saving.save()}
      />
      <SearchRow>
        <SearchField
          label="Filter videos"
          className="max-w-110 flex-[1_1_170px] max-md:max-w-none max-md:basis-full"
          placeholder="Titles, creators, hashtags"
          value={q}
          maxLength={FILTER_MAX}
          onChange={(text) => arrange({ q: text })}
          keys={{ l: selectAll, t: () => arrange({ view: view === "cards" ? "table" : "cards" }) }}
        />
        <SelectField
          label="Sort by"
          isLabelHidden
          value={sort}
          fieldClassName="w-43 flex-none max-md:w-41 max-md:flex-1"
          onChange={(event) => arrange({ sort: event.target.value as VideoSort })}
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <Segment
          className="max-md:[&_[data-slot=segment]]:p-0"
          label="View"
          isLabelHidden
          options={VIEWS}
          value={view}
          onChange={(next) => arrange({ view: next })}
        />
      </SearchRow>
      <SelectionLine count={selection.ids.size} hint="Select the videos you want to save" onClear={selection.clear}>
        <Button size="sm" isBusy={saving.isSaving} onClick={() => void saving.save()}>
          Save
          <span className="sr-only"> selected</span>
        </Button>
      </SelectionLine>
      {shown.length === 0 && (
        <EmptyState
          title={`Nothing found for “${q}”`}
          action={<Button onClick={() => arrange({ q: "" })}>Clear filter</Button>}
        >
          Try fewer words. Every word has to appear in the title, creator, or hashtags.
        </EmptyState>
      )}
      {shown.length > 0 && (view === "cards" ? <VideoGrid {...list} /> : <VideoTable {...list} />)}
    </section>
  );
}
