"use client";

import { createContext, type ReactNode, useContext } from "react";
import { type Extractor, useExtractor } from "#components/videos/use-extractor.ts";
import { type Paste, usePaste } from "#components/videos/use-paste.ts";
import { useSameDocument } from "#components/videos/use-same-document.ts";

const ExtractorContext = createContext<Extractor | null>(null);
const PasteContext = createContext<Paste | null>(null);

/** By itself, so that a list of thousands is not asked again for each letter that is typed. */
function PasteProvider({ children }: { children: ReactNode }) {
  return <PasteContext value={usePaste()}>{children}</PasteContext>;
}

/**
 * Keeps the paste, what was read of it and what is selected, in memory alone, while the screens below it change. There
 * is one of each at a time: a page of at most 50 MB, which the browser may hold on its disk, and its list.
 */
export function ExtractorProvider({ children }: { children: ReactNode }) {
  useSameDocument();
  return (
    <ExtractorContext value={useExtractor()}>
      <PasteProvider>{children}</PasteProvider>
    </ExtractorContext>
  );
}

const inside = <T,>(kept: T | null): T => {
  if (kept === null) throw new Error("The extractor is used below ExtractorProvider.");
  return kept;
};

/** The kept extractor. @throws Error outside of its provider */
export const useKeptExtractor = (): Extractor => inside(useContext(ExtractorContext));

/** What was pasted. @throws Error outside of its provider */
export const useKeptPaste = (): Paste => inside(useContext(PasteContext));
