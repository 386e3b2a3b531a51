import { readStored, writeStored } from "./browser-storage.ts";

// Keeps what the user typed over a reload that the user did not ask for. Passwords and files are never stored.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface TypedField {
  key: string;
  before: string;
  value: string;
}

const STORAGE_KEY = "typedText";
const NEVER_STORED = /^(?:password|file|hidden|submit|button|image|reset)$/;
/** A password that is shown is a text field. */
const SECRET = /password|one-time-code|^cc-|token/i;
/** Larger texts, such as pasted pages, don't fit into the storage. */
const STORED_CHARACTERS_MAX = 200_000;
/** Until then, parts of the page may not react to their fields yet. */
const HYDRATION_PASSES_MS = [0, 1_000, 3_000];
/** A component may refuse a text. */
const TRIES_MAX = 6;
/** Text of a reload that the user declined must not appear later. */
const RELOADED_WITHIN_MS = 60_000;
/** For how long a dialog that is opened again still gets its text back. */
const RESTORABLE_MS = 10 * 60_000;

const before = new WeakMap<Field, string>();
const changed = new WeakSet<Field>();

const isToggle = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

const textIn = (field: Field): string => (isToggle(field) ? String(field.checked) : field.value);

const isField = (target: unknown): target is Field =>
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLInputElement &&
    !NEVER_STORED.test(target.type) &&
    ![target.autocomplete, target.name, target.id].some((text) => SECRET.test(text)));

const noteFocus = ({ target }: Event): void => {
  if (isField(target) && !before.has(target)) before.set(target, textIn(target));
};

const noteInput = ({ target }: Event): void => {
  if (!isField(target)) return;
  if (!before.has(target)) before.set(target, isToggle(target) ? String(!target.checked) : "");
  changed.add(target);
};

/** Notes from now on which fields the user changes. @returns ends it */
export const recordTyping = (): (() => void) => {
  document.addEventListener("focusin", noteFocus);
  document.addEventListener("input", noteInput);
  return () => {
    document.removeEventListener("focusin", noteFocus);
    document.removeEventListener("input", noteInput);
  };
};

/** A label around its field contains the field's text. */
const labelOf = (field: Field): string => {
  const label = field.labels?.[0];
  return field.getAttribute("aria-label") ?? (label && !label.contains(field) ? (label.textContent ?? "").trim() : "");
};

/** Identifies a field across a reload: by its form, its name or label, and its position among fields with the same ones. */
const keyedFields = (): [string, Field][] => {
  const counts = new Map<string, number>();
  return [...document.querySelectorAll("input, textarea, select")].filter(isField).map((field) => {
    const place = field.closest("form[aria-label], [role=dialog], dialog")?.getAttribute("aria-label") ?? "";
    const option = isToggle(field) ? field.value : "";
    const key = [place, field.name, labelOf(field), field.type, option].join("|");
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return [`${key}|${count}`, field];
  });
};

const here = (): string => location.pathname + location.search;

/** Stores what the user typed on this page, until it is loaded again. */
export const saveTypedText = (): void => {
  const fields = keyedFields()
    .filter(([, field]) => changed.has(field))
    .map(([key, field]): TypedField => ({ key, before: before.get(field) ?? "", value: textIn(field) }))
    .filter(({ value }) => value.length <= STORED_CHARACTERS_MAX);
  try {
    writeStored(STORAGE_KEY, JSON.stringify({ path: here(), savedAt: Date.now(), fields }), "session");
  } catch (error) {
    console.warn("What was typed could not be stored", error);
  }
};

const isTypedField = (value: unknown): value is TypedField => {
  const { key, before: old, value: current } = Object(value);
  return [key, old, current].every((text) => typeof text === "string");
};

const parse = (stored: string): unknown => {
  try {
    return JSON.parse(stored);
  } catch (error) {
    console.warn("What was typed could not be read", error);
    return null;
  }
};

/** Returns and deletes what was stored before this page was reloaded; null if it was not. */
export const takeTypedText = (): TypedField[] | null => {
  const stored = readStored(STORAGE_KEY, "session");
  if (stored === null) return null;
  writeStored(STORAGE_KEY, null, "session");
  const { path, savedAt, fields } = Object(parse(stored));
  const isFresh = Math.abs(Date.now() - Number(savedAt)) < RELOADED_WITHIN_MS;
  return path === here() && isFresh && Array.isArray(fields) ? fields.filter(isTypedField) : null;
};

const setValue = (field: Field, { before: old, value }: TypedField): void => {
  before.set(field, old);
  if (isToggle(field)) {
    if (textIn(field) !== value) field.click();
    return;
  }
  // React ignores an input event whose value it already knows from the element's own setter: set the old value there,
  // and the new one with the prototype's setter, which React doesn't track.
  field.value = old;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
};

/**
 * Puts stored text back into its fields, also into those that appear later, such as in a dialog. A field that holds
 * something else than before is left alone. @returns ends it
 */
export const restoreTypedText = (typed: readonly TypedField[]): (() => void) => {
  const waiting = new Map(typed.map((one) => [one.key, { ...one, tries: 0 }]));
  let isHydrating = true;
  /** @param isPass also tells a component again that may not have reacted to its field yet */
  const restore = (isPass: boolean): void => {
    for (const [key, field] of keyedFields()) {
      const one = waiting.get(key);
      if (!one) continue;
      const isBefore = textIn(field) === one.before;
      const isRestored = textIn(field) === one.value;
      const isDone = isRestored ? !isHydrating : !isBefore;
      if (isDone || one.tries >= TRIES_MAX) waiting.delete(key);
      else if (isBefore || (isPass && document.activeElement !== field)) {
        one.tries += 1;
        setValue(field, one);
      }
    }
    if (waiting.size === 0) end();
  };
  const observer = new MutationObserver(() => restore(false));
  observer.observe(document.body, { childList: true, subtree: true });
  const timers = HYDRATION_PASSES_MS.map((ms, pass) =>
    setTimeout(() => {
      restore(true);
      if (pass === HYDRATION_PASSES_MS.length - 1) isHydrating = false;
    }, ms),
  );
  const end = (): void => {
    observer.disconnect();
    for (const timer of [...timers, expiry]) clearTimeout(timer);
  };
  const expiry = setTimeout(end, RESTORABLE_MS);
  return end;
};
