import X from "lucide-react/icons/x";
import type { ClipboardEvent, KeyboardEvent } from "react";
import type { KeywordField, KeywordRows } from "#components/generation/use-keyword-rows.ts";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { KEYWORD_MAX } from "#lib/features/generation/constants.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";

type KeywordRowProps = { row: KeywordField; number: number; list: KeywordRows; isWrong: boolean };

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
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    list.add();
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
      <IconButton label={`Remove row ${number}`} className="keyword-remove" onClick={() => list.remove(row.key)}>
        <X aria-hidden="true" />
      </IconButton>
    </li>
  );
}
