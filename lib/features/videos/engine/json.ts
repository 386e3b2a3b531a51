const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const NEAR = 12;

/** Text without any of these contains no video. */
export const VIDEO_MARKERS = /"(?:itemStruct|ItemModule|itemList|item_list|createTime)"/;

export const isOpening = (code: number): boolean => code === 123 || code === 91;
export const isClosing = (code: number): boolean => code === 125 || code === 93;
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/** Returns -1 when the string is not closed before `to`. */
export const endOfText = (json: string, from: number, to: number): number => {
  // Most strings are short keys, where a loop is faster than indexOf.
  const near = Math.min(to, from + NEAR);
  for (let at = from; at < near; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) break;
  }
  let at = from;
  for (;;) {
    at = json.indexOf('"', at);
    if (at < 0 || at >= to) return -1;
    let before = at - 1;
    while (before >= from && json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
    at += 1;
  }
};

/** The key in quotes that ends at `end`; null for a value. */
export const keyOf = (json: string, from: number, end: number): string | null => {
  let at = end;
  while (isSpace(json.charCodeAt(at))) at += 1;
  return json.charCodeAt(at) === COLON ? json.slice(from + 1, end - 1) : null;
};

export interface Extent {
  from: number;
  /** The position after its closing brace; -1 when it is not closed. */
  to: number;
  depth: number;
}

interface OwnTexts {
  /** Whether no more of them are needed. */
  isDone: boolean;
  /** Called with where each of a value's own keys and texts begins and ends; returns where to read on, or -1 to stop. */
  add(from: number, end: number): number;
}

export const readExtent = (json: string, from: number, to: number, own?: OwnTexts): Extent => {
  let depth = 0;
  let deepest = 0;
  for (let at = from; at < to; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(json, at + 1, to);
      if (end < 0) break;
      const next = depth === 1 && own && !own.isDone ? own.add(at, end) : end;
      if (next < 0) break;
      at = next - 1;
    } else if (isOpening(code)) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return { from, to: at + 1, depth: deepest };
    }
  }
  return { from, to: -1, depth: deepest };
};

/** The position after a JSON value; -1 when it is not closed. */
export const endOfJson = (json: string, from: number, to: number): number => readExtent(json, from, to).to;

const isEscaped = (text: string, from: number, at: number): boolean => {
  let before = at - 1;
  while (before >= from && text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
};

/** Reads a value backwards from its closing brace; -1 when it is not opened. */
const startOfValue = (text: string, from: number, to: number): number => {
  let depth = 0;
  let isText = false;
  for (let at = to - 1; at >= from; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isText = isText === isEscaped(text, from, at);
    else if (isText) continue;
    else if (isClosing(code)) depth += 1;
    else if (isOpening(code)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
};

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Braces of a script or a style.
    return false;
  }
};

const SEPARATOR = /[\s,;]/;
const beforeSpace = (text: string, from: number, to: number): number => {
  let at = to;
  while (at > from && SEPARATOR.test(text.charAt(at - 1))) at -= 1;
  return at;
};

/** What precedes an inner value of JSON that was cut off. */
const IS_INNER = /(?:[:[{]\s*|["\w}\]]\s*,\s*)$/;
const NEAR_BEFORE = 64;

/** Whether a value begins a script's data. */
const isOfScript = (text: string, from: number, start: number): boolean => {
  const script = text.lastIndexOf("<script", start);
  return script >= from && !/<\/script|\{/.test(text.slice(script, start));
};

/**
 * Where the JSON that ends a text begins, of one response or several; -1 when there is none. What precedes it may have
 * been cut off anywhere, so it is read backwards.
 */
export const startOfTail = (text: string, from: number, to: number): number => {
  let start = -1;
  for (
    let end = beforeSpace(text, from, to);
    isClosing(text.charCodeAt(end - 1));
    end = beforeSpace(text, from, start)
  ) {
    const opening = end > from ? startOfValue(text, from, end) : -1;
    if (opening < 0 || !isJson(text.slice(opening, end))) break;
    start = opening;
  }
  if (start < 0 || !VIDEO_MARKERS.test(text.slice(start, to))) return -1;
  const isInner = IS_INNER.test(text.slice(Math.max(from, start - NEAR_BEFORE), start));
  return isInner || isOfScript(text, from, start) ? -1 : start;
};
