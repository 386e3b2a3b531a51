"use client";

import CheckCheck from "lucide-react/icons/check-check";
import GalleryHorizontalEnd from "lucide-react/icons/gallery-horizontal-end";
import RefreshCw from "lucide-react/icons/refresh-cw";
import Upload from "lucide-react/icons/upload";
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useScreenKeys } from "#components/shared/keyboard.ts";
import { SearchRow } from "#components/shared/list-parts.tsx";
import { ExportMenu } from "#components/spreadsheets/export-menu.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { SEARCH_MAX } from "#lib/core/text.ts";
import { type PinFilter, type PinSort, REVIEW_PATH } from "#lib/features/pins/constants.ts";
import { IMPORT_PATH } from "#lib/features/spreadsheets/constants.ts";

type ReviewLinkProps = { accountId: string | null; draftCount: number };

function ReviewLink({ accountId, draftCount }: ReviewLinkProps) {
  if (!accountId || draftCount === 0) return null;
  return (
    <LinkButton size="sm" href={`${REVIEW_PATH}?account=${encodeURIComponent(accountId)}`}>
      <GalleryHorizontalEnd aria-hidden="true" />
      Review drafts
    </LinkButton>
  );
}

/** A search starts after this pause in typing. */
const DEBOUNCE_MS = 250;

const SORTS: { value: PinSort; label: string }[] = [
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
  { value: "due", label: "Next to publish" },
  { value: "title", label: "Title, A to Z" },
];

type PinsSearchProps = {
  /** For moving the focus to the field. */
  fieldRef: RefObject<HTMLInputElement | null>;
  q: string;
  sort: PinSort;
  isDisabled: boolean;
  onSearch: (q: string) => void;
  onSort: (sort: PinSort) => void;
};

/** The search text, submitted after a pause in typing. A change of `q` from outside replaces it. */
const useSearchText = (q: string, onSearch: (q: string) => void) => {
  const [text, setText] = useState(q);
  const lastSent = useRef(q);
  const send = useEffectEvent((next: string) => {
    if (next === lastSent.current) return;
    lastSent.current = next;
    onSearch(next);
  });
  useEffect(() => {
    const timer = setTimeout(() => send(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (q === lastSent.current) return;
    lastSent.current = q;
    setText(q);
  }, [q]);
  const submit = (next: string) => {
    setText(next);
    if (next.trim() === lastSent.current) return;
    lastSent.current = next.trim();
    onSearch(lastSent.current);
  };
  return { text, setText, submit };
};

/** Search and sort order. `/` focuses the field, Escape clears it. */
export function PinsSearch({ fieldRef: field, q, sort, isDisabled, onSearch, onSort }: PinsSearchProps) {
  const { text, setText, submit } = useSearchText(q, onSearch);
  useScreenKeys({
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") submit(text);
    if (event.key !== "Escape" || text === "") return;
    event.preventDefault();
    submit("");
  };
  return (
    <SearchRow>
      <SearchBox
        label="Search pins"
        className="max-w-110 flex-[1_1_170px] max-[35rem]:max-w-none max-[35rem]:flex-[1_1_100%]"
        placeholder="Titles and keywords"
        fieldRef={field}
        aria-keyshortcuts="/"
        maxLength={SEARCH_MAX}
        value={text}
        disabled={isDisabled}
        onChange={setText}
        onClear={() => submit("")}
        onKeyDown={onKeyDown}
      />
      <SelectField
        label="Sort by"
        isLabelHidden
        value={sort}
        disabled={isDisabled}
        fieldClassName="w-43 flex-none max-md:w-41 max-[35rem]:w-full max-[35rem]:flex-[1_1_100%]"
        onChange={(event) => onSort(event.target.value as PinSort)}
      >
        {SORTS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </SearchRow>
  );
}

/** All, and each status as a filter (R-POST-02). */
const TABS: { value: PinFilter; label: string }[] = [
  { value: "all", label: "All" },
  { value: "published", label: "Published" },
  { value: "scheduled", label: "Scheduled" },
  { value: "draft", label: "Draft" },
  { value: "failed", label: "Failed" },
];

type PinsToolbarProps = {
  panelId: string;
  accountId: string | null;
  filter: PinFilter;
  counts: Partial<Record<PinFilter, number>>;
  /** Pins that a refresh would add. */
  newCount: number;
  draftCount: number;
  /** All drafts are being loaded. */
  isSelecting: boolean;
  onFilter: (filter: PinFilter) => void;
  onRefresh: () => void;
  onSelectAllDrafts: () => void;
};

/** Status filter, Refresh and Select all drafts. */
export function PinsToolbar(props: PinsToolbarProps) {
  const { panelId, accountId, filter, counts, newCount, draftCount, isSelecting } = props;
  const { onFilter, onRefresh, onSelectAllDrafts } = props;
  const tabs = TABS.map((tab) => ({
    ...tab,
    ...(counts[tab.value] !== undefined && { count: counts[tab.value] }),
  }));
  return (
    <div className="mb-5 flex flex-wrap items-end justify-between gap-x-5 gap-y-3 border-b border-line [&_[data-slot=tabs]]:-mb-px [&_[data-slot=tabs]]:border-0">
      <Tabs label="Status" tabs={tabs} value={filter} onChange={onFilter} panelId={panelId} />
      <div className="max-md:w-full max-md:*:flex-1 max-md:*:min-h-11 max-md:*:px-2 max-md:flex-wrap flex gap-2 pb-2.5">
        <LinkButton size="sm" href={IMPORT_PATH}>
          <Upload aria-hidden="true" />
          Import
        </LinkButton>
        {accountId && <ExportMenu accountId={accountId} filter={filter} />}
        <ReviewLink accountId={accountId} draftCount={draftCount} />
        <Button size="sm" onClick={onRefresh} disabled={!accountId} className="max-md:flex-[0_0_44px] relative">
          <RefreshCw aria-hidden="true" />
          <span className="max-md:sr-only">Refresh</span>
          {newCount > 0 && (
            <span
              className={cn(
                "absolute top-[-9px] right-[-9px] min-w-5 h-5 px-[5px] rounded-[10px] bg-accent text-on-accent",
                "text-xs/[20px] font-[650] text-center num",
              )}
            >
              {newCount}
              <span className="sr-only"> new</span>
            </span>
          )}
        </Button>
        <Button size="sm" onClick={onSelectAllDrafts} disabled={draftCount === 0} isBusy={isSelecting}>
          <CheckCheck aria-hidden="true" />
          Select all drafts
        </Button>
      </div>
    </div>
  );
}
