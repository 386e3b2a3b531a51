"use client";

import { useCallback, useState } from "react";
import { blobOfText } from "#components/videos/blob-of-text.ts";
import { countOf } from "#components/videos/video-texts.ts";

/** At most this much is read, in bytes. */
export const PAGE_MAX_BYTES = 50_000_000;
/** A text area that holds more than this many characters becomes slow; more is kept beside it. */
export const FIELD_MAX = 200_000;
/** How much of what is kept aside the field shows. */
const PREVIEW = 2_000;

/** What is to be read. Beside the field: a long paste, out of the memory of the page, or a file; only the worker reads both. */
export type Pasted =
  | { kind: "typed"; html: string }
  | { kind: "aside"; html: Blob | Promise<Blob>; name: string; bytes: number; preview: string };

/** Bytes in words: '812 kB', '1.4 MB'. */
export const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const tooLarge = (bytes: number): string =>
  `This page has ${sizeText(bytes)}. At most ${sizeText(PAGE_MAX_BYTES).replace(".0", "")} can be read: paste a shorter part of it.`;

const EMPTY: Pasted = { kind: "typed", html: "" };

export interface Paste {
  pasted: Pasted;
  isEmpty: boolean;
  /** Why the last paste or file was refused. */
  problem: string | null;
  type: (text: string) => void;
  /** Takes a pasted text. @returns whether it was taken beside the field, so that the field must not take it too. */
  takeText: (text: string) => boolean;
  takeFile: (file: File) => void;
  clear: () => void;
}

const PAGE = /^(text\/(html|plain)|application\/(json|xhtml\+xml))$/;
const PAGE_NAME = /\.(html?|xhtml|txt|json)$/i;

const asideOf = (html: string): Pasted => ({
  kind: "aside",
  html: blobOfText(html),
  name: "Pasted page",
  bytes: html.length,
  // Joined and cut it is a text of its own; a plain part holds on to the whole.
  preview: ` ${html.slice(0, PREVIEW)}`.slice(1),
});

/** What was pasted, typed or dropped: in the field as long as that stays quick, beside it from then on. */
export const usePaste = (): Paste => {
  const [pasted, setPasted] = useState<Pasted>(EMPTY);
  const [problem, setProblem] = useState<string | null>(null);
  const isAside = pasted.kind === "aside";
  const take = useCallback((next: () => Pasted, bytes: number) => {
    const isTooLarge = bytes > PAGE_MAX_BYTES;
    setProblem(isTooLarge ? tooLarge(bytes) : null);
    if (!isTooLarge) setPasted(next());
  }, []);
  const type = useCallback(
    (text: string) =>
      take(() => (text.length > FIELD_MAX ? asideOf(text) : { kind: "typed", html: text }), text.length),
    [take],
  );
  const takeText = useCallback(
    (text: string) => {
      // A field that only shows the beginning of another paste takes nothing by itself.
      if (text.length <= FIELD_MAX && !isAside) return false;
      type(text);
      return true;
    },
    [type, isAside],
  );
  const takeFile = useCallback(
    (file: File) => {
      if (!PAGE.test(file.type) && !PAGE_NAME.test(file.name)) {
        setProblem(`${file.name} is no page: save the page as .html and choose that file.`);
      } else if (file.size === 0) setProblem(`${file.name} is empty.`);
      else take(() => ({ kind: "aside", html: file, name: file.name, bytes: file.size, preview: "" }), file.size);
    },
    [take],
  );
  const clear = useCallback(() => {
    setPasted(EMPTY);
    setProblem(null);
  }, []);
  const isEmpty = pasted.kind === "typed" && pasted.html.trim() === "";
  return { pasted, isEmpty, problem, type, takeText, takeFile, clear };
};

/** What the line below the field says of what is in it. */
export const pastedText = (pasted: Pasted): string =>
  pasted.kind === "typed" ? countOf(pasted.html.length, "character") : sizeText(pasted.bytes);
