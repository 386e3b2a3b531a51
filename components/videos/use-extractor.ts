"use client";

import { startTransition, useCallback, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import type { VideoSort } from "#components/videos/arrange-videos.ts";
import { Cancelled } from "#components/videos/ask-worker.ts";
import type { ExportFormat } from "#components/videos/extraction-messages.ts";
import type { News } from "#components/videos/news-line.tsx";
import { saveBatches } from "#components/videos/save-batches.ts";
import { useCopy } from "#components/videos/use-copy.ts";
import type { Pasted } from "#components/videos/use-paste.ts";
import { usePicks } from "#components/videos/use-picks.ts";
import { type Reader, useReader } from "#components/videos/use-reader.ts";
import { extractFailed, partlySavedText, saveFailed, VIDEO_TEXTS } from "#components/videos/video-texts.ts";
import { api, describeFailure } from "#lib/client/api.ts";
import { downloadBlob } from "#lib/client/download-blob.ts";
import { SAVED_VIDEOS_CALL, savedText } from "#lib/features/videos/constants.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo, Extraction } from "#lib/features/videos/engine/types.ts";
import type { SavedWire } from "#lib/features/videos/schema.ts";

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
export interface Arrangement {
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
export const useExtractor = () => {
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
