"use client";

import { usePathname, useRouter } from "next/navigation";
import { createContext, type ReactNode, startTransition, useCallback, useContext, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import { downloadBlob } from "#lib/client/files.ts";
import { inSameDocument, isVideoPage } from "#lib/core/video-pages.ts";
import { SAVED_VIDEOS_CALL, savedText } from "#lib/features/videos/constants.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo, Extraction } from "#lib/features/videos/engine/types.ts";
import type { SavedWire } from "#lib/features/videos/schema.ts";
import { Cancelled, type ExportFormat } from "./ask-worker.ts";
import type { News } from "./list-tools.tsx";
import { saveBatches } from "./save-batches.ts";
import { useCopy, usePicks } from "./use-picks.ts";
import { type Reader, useReader } from "./use-reader.ts";
import { countOf, extractFailed, partlySavedText, saveFailed, VIDEO_TEXTS, type VideoSort } from "./video-texts.ts";

/** A plain press: not one that opens a window, a tab or a menu. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** The page of videos that a press leads to, with its query; null: another page, or another window. */
const videoPageOf = ({ target }: MouseEvent): string | null => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.target !== "" || link.origin !== location.origin || !isVideoPage(link.pathname)) return null;
  return link.pathname + link.search;
};

/**
 * Whether the document was loaded for one of these pages, as it says itself; null where a browser hides that. The
 * address does not tell: going back from a page that was reloaded stays within that page's document.
 */
const isDocumentTheirs = (): boolean | null => {
  const name = performance.getEntriesByType("navigation")[0]?.name;
  return name !== undefined && URL.canParse(name) ? isVideoPage(new URL(name).pathname) : null;
};

/**
 * Leads back to the pages of videos within the document that was loaded for one of them, so that what was read there is
 * still in memory. Any other document has to give way to one of theirs (decision 0016): one in which going back came to
 * such a page is loaded anew. Called above all screens.
 */
const useSameDocument = (): void => {
  const router = useRouter();
  const path = usePathname();
  const isHere = isVideoPage(path);
  const [isTheirs] = useState(() => (typeof window === "undefined" ? isHere : (isDocumentTheirs() ?? isHere)));
  const isElsewhere = isTheirs && !isHere;
  const isMisplaced = isHere && !isTheirs;
  // Going back asks for the content with the address it goes to, so that the gate sees nothing amiss.
  useEffect(() => {
    if (isMisplaced) location.reload();
  }, [isMisplaced]);
  useEffect(() => {
    if (!isElsewhere) return;
    const lead = (event: MouseEvent) => {
      const page = isPlain(event) ? videoPageOf(event) : null;
      if (page === null) return;
      event.preventDefault();
      router.push(inSameDocument(page));
    };
    document.addEventListener("click", lead, { capture: true });
    return () => document.removeEventListener("click", lead, { capture: true });
  }, [isElsewhere, router]);
};

/** So many characters become bytes at a time: about a millisecond of the main thread. */
const PIECE = 400_000;

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Lets whatever waits go first. A message, since timers that wait for nothing are made to wait. */
const letOthersGo = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * A long text as bytes that the browser may keep on its disk, made piece by piece, so that the page stays free
 * meanwhile. Half a character (a lone surrogate) becomes U+FFFD.
 */
const blobOfText = async (text: string): Promise<Blob> => {
  const pieces: Blob[] = [];
  let from = 0;
  while (from < text.length) {
    await letOthersGo();
    // A character of two units is not cut in two.
    const end = from + PIECE + Number(isFirstHalf(text.charCodeAt(from + PIECE - 1)));
    pieces.push(new Blob([text.slice(from, end)]));
    from = end;
  }
  return new Blob(pieces, { type: "text/html" });
};

/** At most this much is read, in bytes. */
export const PAGE_MAX_BYTES = 50_000_000;
/** A text area that holds more than this many characters becomes slow; more is kept beside it. */
const FIELD_MAX = 200_000;
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
const usePaste = (): Paste => {
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Saving = { videos: readonly ExtractedVideo[]; selected: ReadonlySet<number>; tell: (news: News | null) => void };

/** R-VID-26 to R-VID-29. */
const useSaving = ({ videos, selected, tell }: Saving) => {
  const { isSessionFailure } = useSessionEnd();
  const [isSaving, setSaving] = useState(false);
  const [response, setResponse] = useState<string | null>(null);
  const save = async () => {
    const chosen = videos.filter(({ id }) => selected.has(id));
    if (chosen.length === 0) return tell({ tone: "failed", text: VIDEO_TEXTS.selectOne });
    setSaving(true);
    setResponse(null);
    tell(null);
    const answers: SavedWire[] = [];
    try {
      // Last first: the library begins with what came last, and so keeps the order of the page.
      for (const batch of saveBatches(chosen).reverse()) {
        answers.push(await api.post<SavedWire>(SAVED_VIDEOS_CALL, { videos: batch }));
      }
      tell({ tone: "success", text: savedText(chosen.length) });
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, "the server could not be reached. Please try again.");
      const saved = answers.reduce((sum, answer) => sum + answer.saved, 0);
      tell({ tone: "failed", text: saveFailed(text) + partlySavedText(saved, chosen.length) });
    } finally {
      if (answers.length > 0) setResponse(answers.map(({ message }) => message).join("\n"));
      setSaving(false);
    }
  };
  return { isSaving, save, response, forgetResponse: useCallback(() => setResponse(null), []) };
};

const NONE: readonly ExtractedVideo[] = [];

/** How the list is shown; it outlasts a look at the other tab. */
interface Arrangement {
  view: "cards" | "table";
  sort: VideoSort;
  q: string;
}

const FIRST_LOOK: Arrangement = { view: "cards", sort: "page", q: "" };

const useArrangement = () => {
  const [arrangement, setArrangement] = useState(FIRST_LOOK);
  const arrange = useCallback((part: Partial<Arrangement>) => setArrangement((before) => ({ ...before, ...part })), []);
  return { arrangement, arrange };
};

/** R-VID-24: reasons, figures and places, and nothing of the page itself. */
const logSkipped = ({ skipped }: Extraction): void => {
  if (skipped.length > 0) console.warn("Left out of the list:", skipped);
};

type Chosen = { reader: Reader; ids: ReadonlySet<number>; tell: (news: News | null) => void };

/** What the worker does for the videos it has read: files of them, and their figures. */
const useWorkerTools = ({ reader, ids, tell }: Chosen) => {
  const [analysis, setAnalysis] = useState<Analysis | null>(null);
  const exportAs = async (format: ExportFormat) => {
    tell(null);
    try {
      const { blob, name } = await reader.exportAs(format, [...ids]);
      downloadBlob(blob, name);
      return true;
    } catch (error) {
      tell({ tone: "failed", text: `Error exporting videos: ${messageOf(error)}` });
      return false;
    }
  };
  const { analyse } = reader;
  const analyseSelected = useCallback(async () => {
    try {
      setAnalysis(await analyse([...ids]));
    } catch (error) {
      tell({ tone: "failed", text: `Error analysing videos: ${messageOf(error)}` });
    }
  }, [analyse, ids, tell]);
  return { analysis, setAnalysis, exportAs, analyseSelected };
};

/** The page that was read, what of it is selected, and what can be done with that. */
const useExtractor = () => {
  const reader = useReader();
  const [extraction, setExtraction] = useState<Extraction | null>(null);
  const [news, tell] = useState<News | null>(null);
  const picks = usePicks<number>();
  const { arrangement, arrange } = useArrangement();
  const videos = extraction?.videos ?? NONE;
  const saving = useSaving({ videos, selected: picks.ids, tell });
  const { setAnalysis, ...tools } = useWorkerTools({ reader, ids: picks.ids, tell });
  const copy = useCopy(useCallback((text: string) => tell({ tone: "failed", text }), []));

  /** R-VID-21: what was there before gives way once the new page is read. */
  const extract = async (pasted: Pasted) => {
    tell(null);
    try {
      const read = await reader.read(pasted.html);
      logSkipped(read.extraction);
      // Thousands of videos are shown in small steps, between which the page answers.
      startTransition(() => {
        picks.clear();
        saving.forgetResponse();
        arrange({ q: "" });
        setExtraction(read.extraction);
        setAnalysis(read.analysis);
      });
    } catch (error) {
      if (!(error instanceof Cancelled)) tell({ tone: "failed", text: extractFailed(messageOf(error)) });
    }
  };

  const dismissNews = useCallback(() => tell(null), []);
  return {
    reader,
    extraction,
    videos,
    news,
    dismissNews,
    picks,
    arrangement,
    arrange,
    saving,
    copy,
    extract,
    ...tools,
  };
};

export type Extractor = ReturnType<typeof useExtractor>;

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
