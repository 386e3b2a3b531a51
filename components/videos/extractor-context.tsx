"use client";

import { usePathname, useRouter } from "next/navigation";
import { createContext, type ReactNode, startTransition, useCallback, useContext, useEffect, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import { downloadBlob } from "#lib/client/files.ts";
import { countOf } from "#lib/core/text.ts";
import { inSameDocument, isVideoPage } from "#lib/core/video-pages.ts";
import { SAVED_VIDEOS_PATH, savedText } from "#lib/features/videos/constants.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo, Extraction } from "#lib/features/videos/engine/types.ts";
import type { SavedWire } from "#lib/features/videos/schema.ts";
import type { StatusMessage } from "./list-tools.tsx";
import { saveBatches } from "./save-batches.ts";
import { type Reader, useReader } from "./use-reader.ts";
import { useCopy, useSelectedIds } from "./use-selected-ids.ts";
import { extractFailed, partlySavedText, saveFailed, VIDEO_TEXTS, type VideoSort } from "./video-texts.ts";
import { Canceled, type ExportFormat } from "./worker-client.ts";

/** A plain click that does not open a new window, tab or menu. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** The video page (path and query) that a click leads to; null for other pages and windows. */
const videoPageOf = ({ target }: MouseEvent): string | null => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.target !== "" || link.origin !== location.origin || !isVideoPage(link.pathname)) return null;
  return link.pathname + link.search;
};

/**
 * Whether the document was loaded for a video page; null if the browser does not say. The current URL does not tell:
 * going back after a reload stays in the document of the page that was reloaded.
 */
const isDocumentTheirs = (): boolean | null => {
  const name = performance.getEntriesByType("navigation")[0]?.name;
  return name !== undefined && URL.canParse(name) ? isVideoPage(new URL(name).pathname) : null;
};

/**
 * Makes links to video pages return to the document loaded for them, where the extraction is still in memory. Reloads
 * if going back leads to another one, which cannot show them (docs/decisions/0016). Called above all screens.
 */
const useSameDocument = (): void => {
  const router = useRouter();
  const path = usePathname();
  const isHere = isVideoPage(path);
  const [isTheirs] = useState(() => (typeof window === "undefined" ? isHere : (isDocumentTheirs() ?? isHere)));
  const isElsewhere = isTheirs && !isHere;
  const isMisplaced = isHere && !isTheirs;
  // Going back requests the page with its URL, so the server check does not notice.
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

/** Characters encoded at a time: about a millisecond of the main thread. */
const PIECE = 400_000;

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Yields to other tasks. A message is used because timers are throttled. */
const yieldToMain = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * Converts a long text to a Blob, which the browser may keep on disk, in pieces so that the page stays responsive. A
 * lone surrogate becomes U+FFFD.
 */
const toBlob = async (text: string): Promise<Blob> => {
  const pieces: Blob[] = [];
  let from = 0;
  while (from < text.length) {
    await yieldToMain();
    // Does not split a surrogate pair.
    const end = from + PIECE + Number(isFirstHalf(text.charCodeAt(from + PIECE - 1)));
    pieces.push(new Blob([text.slice(from, end)]));
    from = end;
  }
  return new Blob(pieces, { type: "text/html" });
};

export const PAGE_MAX_BYTES = 50_000_000;
/** A text area becomes slow beyond this length; longer text is kept outside of it. */
const FIELD_MAX = 200_000;
const PREVIEW = 2_000;

/** The page to read. `attached`: a long paste or a file, kept outside of the text area; only the worker reads it. */
export type Pasted =
  | { kind: "typed"; html: string }
  | { kind: "attached"; html: Blob | Promise<Blob>; name: string; bytes: number; preview: string };

/** Formats bytes: '812 KB', '1.4 MB'. */
export const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const tooLarge = (bytes: number): string =>
  `This page is ${sizeText(bytes)}. The limit is ${sizeText(PAGE_MAX_BYTES).replace(".0", "")}, so paste a shorter part of it.`;

const EMPTY: Pasted = { kind: "typed", html: "" };

export interface Paste {
  pasted: Pasted;
  isEmpty: boolean;
  /** Why the last paste or file was rejected. */
  problem: string | null;
  type: (text: string) => void;
  /** Takes a pasted text. @returns true when it was kept outside of the text area, which must then ignore it */
  takeText: (text: string) => boolean;
  takeFile: (file: File) => void;
  clear: () => void;
}

const PAGE = /^(text\/(html|plain)|application\/(json|xhtml\+xml))$/;
const PAGE_NAME = /\.(html?|xhtml|txt|json)$/i;

const toAttachment = (html: string): Pasted => ({
  kind: "attached",
  html: toBlob(html),
  name: "Pasted page",
  bytes: html.length,
  // A separate string; a plain slice would keep the whole page in memory.
  preview: ` ${html.slice(0, PREVIEW)}`.slice(1),
});

/** The pasted, typed or dropped page: in the text area while that stays fast, otherwise outside of it. */
const usePaste = (): Paste => {
  const [pasted, setPasted] = useState<Pasted>(EMPTY);
  const [problem, setProblem] = useState<string | null>(null);
  const isAttached = pasted.kind === "attached";
  const take = useCallback((next: () => Pasted, bytes: number) => {
    const isTooLarge = bytes > PAGE_MAX_BYTES;
    setProblem(isTooLarge ? tooLarge(bytes) : null);
    if (!isTooLarge) setPasted(next());
  }, []);
  const type = useCallback(
    (text: string) =>
      take(() => (text.length > FIELD_MAX ? toAttachment(text) : { kind: "typed", html: text }), text.length),
    [take],
  );
  const takeText = useCallback(
    (text: string) => {
      // A read-only preview does not accept a paste by itself.
      if (text.length <= FIELD_MAX && !isAttached) return false;
      type(text);
      return true;
    },
    [type, isAttached],
  );
  const takeFile = useCallback(
    (file: File) => {
      if (!PAGE.test(file.type) && !PAGE_NAME.test(file.name)) {
        setProblem(`${file.name} isn't a web page. Save the page as .html and choose that file.`);
      } else if (file.size === 0) setProblem(`${file.name} is empty.`);
      else take(() => ({ kind: "attached", html: file, name: file.name, bytes: file.size, preview: "" }), file.size);
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

/** The size of the page, shown below the text area. */
export const pastedText = (pasted: Pasted): string =>
  pasted.kind === "typed" ? countOf(pasted.html.length, "character") : sizeText(pasted.bytes);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Saving = {
  videos: readonly ExtractedVideo[];
  selected: ReadonlySet<number>;
  setStatus: (status: StatusMessage | null) => void;
};

/** Saves the selected videos. */
const useSaving = ({ videos, selected, setStatus }: Saving) => {
  const { isSessionFailure } = useSessionEnd();
  const [isSaving, setSaving] = useState(false);
  const [response, setResponse] = useState<string | null>(null);
  const save = async () => {
    const chosen = videos.filter(({ id }) => selected.has(id));
    if (chosen.length === 0) return setStatus({ tone: "failed", text: VIDEO_TEXTS.selectOne });
    setSaving(true);
    setResponse(null);
    setStatus(null);
    const answers: SavedWire[] = [];
    try {
      // The last batch first, because the library shows the newest first and should keep the page's order.
      for (const batch of saveBatches(chosen).reverse()) {
        answers.push(await api.post<SavedWire>(SAVED_VIDEOS_PATH, { videos: batch }));
      }
      setStatus({ tone: "success", text: savedText(chosen.length) });
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, "the server could not be reached. Please try again.");
      const saved = answers.reduce((sum, answer) => sum + answer.saved, 0);
      setStatus({ tone: "failed", text: saveFailed(text) + partlySavedText(saved, chosen.length) });
    } finally {
      if (answers.length > 0) setResponse(answers.map(({ message }) => message).join("\n"));
      setSaving(false);
    }
  };
  return { isSaving, save, response, clearResponse: useCallback(() => setResponse(null), []) };
};

const NONE: readonly ExtractedVideo[] = [];

/** How the list is shown; kept while the other tab is open. */
interface Arrangement {
  view: "cards" | "table";
  sort: VideoSort;
  q: string;
}

const DEFAULT_ARRANGEMENT: Arrangement = { view: "cards", sort: "page", q: "" };

const useArrangement = () => {
  const [arrangement, setArrangement] = useState(DEFAULT_ARRANGEMENT);
  const arrange = useCallback((part: Partial<Arrangement>) => setArrangement((before) => ({ ...before, ...part })), []);
  return { arrangement, arrange };
};

/** Logs reasons, counts and offsets, but nothing of the page itself. */
const logSkipped = ({ skipped }: Extraction): void => {
  if (skipped.length > 0) console.warn("Left out of the list:", skipped);
};

type Chosen = { reader: Reader; ids: ReadonlySet<number>; setStatus: (status: StatusMessage | null) => void };

/** Exports and analysis, which the worker computes from the videos it has read. */
const useWorkerTools = ({ reader, ids, setStatus }: Chosen) => {
  const [analysis, setAnalysis] = useState<Analysis | null>(null);
  const exportAs = async (format: ExportFormat) => {
    setStatus(null);
    try {
      const { blob, name } = await reader.exportAs(format, [...ids]);
      downloadBlob(blob, name);
      return true;
    } catch (error) {
      setStatus({ tone: "failed", text: `Error exporting videos: ${messageOf(error)}` });
      return false;
    }
  };
  const { analyze } = reader;
  const analyzeSelected = useCallback(async () => {
    try {
      setAnalysis(await analyze([...ids]));
    } catch (error) {
      setStatus({ tone: "failed", text: `Error analyzing videos: ${messageOf(error)}` });
    }
  }, [analyze, ids, setStatus]);
  return { analysis, setAnalysis, exportAs, analyzeSelected };
};

const useExtractor = () => {
  const reader = useReader();
  const [extraction, setExtraction] = useState<Extraction | null>(null);
  const [status, setStatus] = useState<StatusMessage | null>(null);
  const selection = useSelectedIds<number>();
  const { arrangement, arrange } = useArrangement();
  const videos = extraction?.videos ?? NONE;
  const saving = useSaving({ videos, selected: selection.ids, setStatus });
  const { setAnalysis, ...tools } = useWorkerTools({ reader, ids: selection.ids, setStatus });
  const copy = useCopy(useCallback((text: string) => setStatus({ tone: "failed", text }), []));

  /** Replaces the list once the new page has been read. */
  const extract = async (pasted: Pasted) => {
    setStatus(null);
    try {
      const read = await reader.read(pasted.html);
      logSkipped(read.extraction);
      // Renders thousands of videos as a transition, so that the page stays responsive.
      startTransition(() => {
        selection.clear();
        saving.clearResponse();
        arrange({ q: "" });
        setExtraction(read.extraction);
        setAnalysis(read.analysis);
      });
    } catch (error) {
      if (!(error instanceof Canceled)) setStatus({ tone: "failed", text: extractFailed(messageOf(error)) });
    }
  };

  const dismissStatus = useCallback(() => setStatus(null), []);
  return {
    reader,
    extraction,
    videos,
    status,
    dismissStatus,
    selection,
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

/** Separate, so that typing does not re-render a list of thousands. */
function PasteProvider({ children }: { children: ReactNode }) {
  return <PasteContext value={usePaste()}>{children}</PasteContext>;
}

/**
 * Keeps one paste (up to 50 MB, which the browser may store on disk), its videos and the selection in memory across
 * screens.
 */
export function ExtractorProvider({ children }: { children: ReactNode }) {
  useSameDocument();
  return (
    <ExtractorContext value={useExtractor()}>
      <PasteProvider>{children}</PasteProvider>
    </ExtractorContext>
  );
}

const inside = <T,>(value: T | null): T => {
  if (value === null) throw new Error("The extractor is used below ExtractorProvider.");
  return value;
};

/** @throws Error outside of ExtractorProvider */
export const useExtractorContext = (): Extractor => inside(useContext(ExtractorContext));

/** @throws Error outside of ExtractorProvider */
export const usePasteContext = (): Paste => inside(useContext(PasteContext));
