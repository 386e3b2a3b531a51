import { SECOND_MS } from "#lib/core/time.ts";

/** The letter of a screen must follow `g` within this time. */
export const SEQUENCE_MS = 2 * SECOND_MS;

/** Local storage key that turns single-key shortcuts off. Speech input triggers them by accident. */
export const SINGLE_KEYS_KEY = "singleKeys";

const PREFIX = "g";

export type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/**
 * The meaning of a single key: open the list of shortcuts, start a `g` sequence, go to a screen, or run a shortcut of the
 * current screen.
 */
type SingleKey =
  | { kind: "shortcuts" }
  | { kind: "prefix" }
  | { kind: "screen"; letter: string }
  | { kind: "letter"; letter: string };

/** Returns the Latin letter of a key; on other layouts, the letter at that position on a Latin keyboard. */
function letterOf({ key, code }: KeyPress): string {
  return /^[ -~]$/.test(key) ? key.toLowerCase() : (/^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? "");
}

/** ⌘K on a Mac, Ctrl+K elsewhere. The other combination belongs to text fields or the system. */
export function isPaletteKey(press: KeyPress, isApple: boolean): boolean {
  const [wanted, other] = isApple ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  return wanted && !other && !press.altKey && !press.shiftKey && letterOf(press) === "k";
}

/** Interprets a key without modifiers; `isAfterPrefix` when `g` was pressed before. Returns null for other keys. */
export function readSingleKey(press: KeyPress, isAfterPrefix: boolean): SingleKey | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === "?") return { kind: "shortcuts" };
  // Some layouts need Shift to type a slash.
  if (press.key === "/") return isAfterPrefix ? null : { kind: "letter", letter: "/" };
  const letter = letterOf(press);
  if (press.shiftKey || !/^[a-z]$/.test(letter)) return null;
  if (isAfterPrefix) return { kind: "screen", letter };
  return letter === PREFIX ? { kind: "prefix" } : { kind: "letter", letter };
}

const TYPED_INTO = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select";

/** Whether an element uses key presses for itself, as text fields do. */
export function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPED_INTO));
}

/** Whether a dialog is open above the page. */
export function isDialogOpen(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog], dialog[open]") !== null;
}
