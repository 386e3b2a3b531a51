"use client";

import Eye from "lucide-react/icons/eye";
import X from "lucide-react/icons/x";
import { type ClipboardEvent, type KeyboardEvent, useId } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Input } from "#components/ui/input.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { KEYWORD_MAX, TEXTS } from "#lib/features/generation/constants.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";
import { RowPreviewText, useRowPreview } from "./row-preview.tsx";
import type { KeywordField, KeywordRows } from "./use-creator.ts";
import { useKeywordSuggestions } from "./use-keyword-suggestions.ts";

type KeywordRowProps = {
  row: KeywordField;
  number: number;
  list: KeywordRows;
  isWrong: boolean;
  accountId: string | null;
};

/** Focuses the keyword of the next (1) or previous (-1) row, once it is rendered. */
const focusRow = (from: EventTarget & Element, offset: number): void => {
  const row = from.closest("li");
  const find = () => (offset > 0 ? row?.nextElementSibling : row?.previousElementSibling)?.querySelector("input");
  const input = find();
  if (input) input.focus();
  else requestAnimationFrame(() => find()?.focus());
};

/** A keyword and its optional URL. Enter adds a row, and pasted lines become rows. */
export function KeywordRow({ row, number, list, isWrong, accountId }: KeywordRowProps) {
  const preview = useRowPreview(accountId);
  const change = (part: Parameters<KeywordRows["change"]>[1]) => {
    preview.close();
    list.change(row.key, part);
  };
  const paste = (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData("text")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    list.spread(row.key, lines);
  };
  const suggestions = useKeywordSuggestions(accountId, row.keyword);
  const listId = useId();
  const addOnEnter = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    list.add();
    focusRow(event.currentTarget, 1);
  };
  const remove = () => {
    list.remove(row.key);
    if (row.keyword || row.url) showToast(`Row ${number} removed`, { onUndo: () => list.restore(row, number - 1) });
  };
  return (
    <li
      className={cn(
        "grid grid-cols-[22px_minmax(0,1fr)_minmax(0,1fr)_34px_34px] gap-2 items-center",
        "max-md:grid-cols-[22px_minmax(0,1fr)_34px] max-md:pb-1.5",
      )}
    >
      <span className="text-xs text-ink-3 num" aria-hidden="true">
        {number}
      </span>
      <Input
        aria-label={`Keyword ${number}`}
        placeholder={number === 1 ? "cabins in the woods" : "Keyword"}
        value={row.keyword}
        maxLength={KEYWORD_MAX}
        list={listId}
        autoComplete="off"
        onChange={(event) => change({ keyword: event.target.value })}
        onPaste={paste}
        onKeyDown={addOnEnter}
        onFocus={suggestions.start}
        onBlur={suggestions.stop}
      />
      <datalist id={listId}>
        {suggestions.keywords.map((keyword) => (
          <option key={keyword} value={keyword} />
        ))}
      </datalist>
      <Input
        className="max-md:col-start-2"
        aria-label={`URL for keyword ${number} (optional)`}
        aria-invalid={isWrong || undefined}
        placeholder="https:// (optional)"
        inputMode="url"
        value={row.url}
        maxLength={LINK_MAX}
        onChange={(event) => change({ url: event.target.value })}
      />
      <IconButton
        label={`Show an example text for row ${number}`}
        className="max-md:row-start-2 max-md:col-start-3"
        disabled={row.keyword.trim() === "" || accountId === null}
        aria-busy={preview.shown?.kind === "busy"}
        onClick={() => preview.load(row)}
      >
        <Eye aria-hidden="true" />
      </IconButton>
      <IconButton
        label={`Remove row ${number}`}
        className="max-md:row-start-1 max-md:col-start-3"
        onClick={(event) => {
          focusRow(event.currentTarget, number === 1 ? 1 : -1);
          remove();
        }}
      >
        <X aria-hidden="true" />
      </IconButton>
      {row.url.trim() !== "" && (
        <Checkbox
          className="col-start-2 -col-end-1"
          label={
            <span>
              {TEXTS.ownImage}
              <span className="sr-only"> for keyword {number}</span>
            </span>
          }
          checked={row.imageSource === "page"}
          onChange={({ target }) => list.change(row.key, { imageSource: target.checked ? "page" : "generated" })}
        />
      )}
      {suggestions.problem && (
        <p className="col-span-full text-xs text-ink-3 md:pl-[30px]">
          {`No suggestions from Pinterest. ${suggestions.problem}`}
        </p>
      )}
      <RowPreviewText shown={preview.shown} number={number} />
    </li>
  );
}
