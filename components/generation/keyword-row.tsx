import X from "lucide-react/icons/x";
import type { ClipboardEvent, KeyboardEvent } from "react";
import type { KeywordField, KeywordRows } from "#components/generation/use-keyword-rows.ts";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { KEYWORD_MAX } from "#lib/features/generation/constants.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";

type KeywordRowProps = { row: KeywordField; number: number; list: KeywordRows; isWrong: boolean };

/** Puts the focus on the keyword of the row so many places away, once it is there. */
const focusRow = (from: EventTarget & Element, places: number): void => {
  const row = from.closest("li");
  const find = () => (places > 0 ? row?.nextElementSibling : row?.previousElementSibling)?.querySelector("input");
  const input = find();
  if (input) input.focus();
  else requestAnimationFrame(() => find()?.focus());
};

/** A keyword and its optional address. Enter makes the next row; several pasted lines become several rows. */
export function KeywordRow({ row, number, list, isWrong }: KeywordRowProps) {
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
    <li className="keyword-row">
      <span className="keyword-number num" aria-hidden="true">
        {number}
      </span>
      <input
        className="input"
        aria-label={`Keyword ${number}`}
        placeholder={number === 1 ? "evergreen cabins" : "Keyword"}
        value={row.keyword}
        maxLength={KEYWORD_MAX}
        onChange={(event) => list.change(row.key, "keyword", event.target.value)}
        onPaste={paste}
        onKeyDown={addOnEnter}
      />
      <input
        className={cn("input keyword-url", isWrong && "input-failed")}
        aria-label={`URL for keyword ${number} (optional)`}
        aria-invalid={isWrong || undefined}
        placeholder="https:// (optional)"
        inputMode="url"
        value={row.url}
        maxLength={LINK_MAX}
        onChange={(event) => list.change(row.key, "url", event.target.value)}
      />
      <IconButton
        label={`Remove row ${number}`}
        className="keyword-remove"
        onClick={(event) => {
          focusRow(event.currentTarget, number === 1 ? 1 : -1);
          remove();
        }}
      >
        <X aria-hidden="true" />
      </IconButton>
    </li>
  );
}
