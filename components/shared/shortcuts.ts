import { SECOND_MS } from "#lib/core/time.ts";

/** After `g`, the letter of a screen must follow within this time. */
export const SEQUENCE_MS = 2 * SECOND_MS;

/** Where the browser keeps that single keys are off. Somebody who speaks to the computer types letters all the time. */
export const SINGLE_KEYS_KEY = "singleKeys";

const PREFIX = "g";

/** What of a key press decides. */
export type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/**
 * What a single key asks for: the help sheet, the beginning of a sequence, the screen with this letter, or what the
 * letter does on the screen that is shown.
 */
export type SingleKey =
  | { kind: "shortcuts" }
  | { kind: "prefix" }
  | { kind: "screen"; letter: string }
  | { kind: "letter"; letter: string };

/** The letter that was meant: on layouts without Latin letters, the one printed at that place of a Latin keyboard. */
function letterOf({ key, code }: KeyPress): string {
  return /^[ -~]$/.test(key) ? key.toLowerCase() : (/^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? "");
}

/** ⌘K on a Mac, Ctrl+K elsewhere: there the other one belongs to the text fields or to the system. */
export function isPaletteKey(press: KeyPress, isApple: boolean): boolean {
  const [wanted, other] = isApple ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  return wanted && !other && !press.altKey && !press.shiftKey && letterOf(press) === "k";
}

/** Reads a key without modifiers; `isAfterPrefix` while a `g` waits for its letter. Null: none of ours. */
export function readSingleKey(press: KeyPress, isAfterPrefix: boolean): SingleKey | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === "?") return { kind: "shortcuts" };
  // Where / stands beside Shift on a keyboard, it is / all the same.
  if (press.key === "/") return isAfterPrefix ? null : { kind: "letter", letter: "/" };
  const letter = letterOf(press);
  if (press.shiftKey || !/^[a-z]$/.test(letter)) return null;
  if (isAfterPrefix) return { kind: "screen", letter };
  return letter === PREFIX ? { kind: "prefix" } : { kind: "letter", letter };
}

const TYPED_INTO = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select";

/** Whether keys pressed on an element write or choose something there. */
export function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPED_INTO));
}

/** Whether a dialog, a menu of the browser or the like is open above the page. */
export function isSomethingOpen(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog], dialog[open]") !== null;
}
