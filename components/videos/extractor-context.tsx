"use client";

import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Extractor, useExtractor } from "#components/videos/use-extractor.ts";
import { type Paste, usePaste } from "#components/videos/use-paste.ts";

type Kept = { extractor: Extractor; paste: Paste };

const ExtractorContext = createContext<Kept | null>(null);

/** Keeps the paste, what was read of it and what is selected while the screens below it change. */
export function ExtractorProvider({ children }: { children: ReactNode }) {
  const extractor = useExtractor();
  const paste = usePaste();
  const kept = useMemo(() => ({ extractor, paste }), [extractor, paste]);
  return <ExtractorContext value={kept}>{children}</ExtractorContext>;
}

/** The kept extractor. @throws Error outside of its provider */
export const useKeptExtractor = (): Kept => {
  const kept = useContext(ExtractorContext);
  if (!kept) throw new Error("The extractor is used below ExtractorProvider.");
  return kept;
};
