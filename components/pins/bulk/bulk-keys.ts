import type { KeyboardEvent } from "react";
import type { RowText } from "#components/pins/bulk/bulk-rows.ts";

/** Attribute by which the parts of a row know each other from row to row. */
export const PART = "data-part";

const TEXT_PARTS: readonly string[] = ["title", "description", "url"] satisfies RowText[];

const isTextPart = (part: string): part is RowText => TEXT_PARTS.includes(part);

const focusSibling = (row: Element, part: string, way: "next" | "previous"): void => {
  const sibling = way === "next" ? row.nextElementSibling : row.previousElementSibling;
  const control = sibling?.querySelector(`[${PART}="${part}"]`);
  if (control instanceof HTMLElement) control.focus();
};

type Keys = { onSend: () => void; onFillDown: (rowKey: string, part: RowText) => void };

/** Keys of the whole form: Alt with an arrow goes to the same part of another row, Ctrl+D fills down, Ctrl+Enter sends. */
export const readFormKey = (event: KeyboardEvent, { onSend, onFillDown }: Keys): void => {
  const target = event.target;
  if (!(target instanceof HTMLElement) || event.nativeEvent.isComposing) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "Enter") {
    event.preventDefault();
    onSend();
    return;
  }
  const row = target.closest("[data-row]");
  const part = target.getAttribute(PART);
  if (!row || part === null) return;
  if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    focusSibling(row, part, event.key === "ArrowDown" ? "next" : "previous");
  }
  if (isCommand && event.key.toLowerCase() === "d" && isTextPart(part)) {
    event.preventDefault();
    onFillDown(row.getAttribute("data-row") ?? "", part);
  }
};
