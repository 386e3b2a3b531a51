"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useCredits } from "#components/credits/credits.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api, codeOf, describeFailure, rowFaultOf } from "#lib/client/api.ts";
import { removeFragment } from "#lib/client/edit-query.ts";
import { randomKey } from "#lib/client/random-key.ts";
import { type CreatorRow, creatorRowsOf } from "#lib/core/paths.ts";
import {
  KEYWORD_MAX,
  KEYWORDS_MAX,
  TEXTS,
  type UnreadPageChoice,
  type Variants,
} from "#lib/features/generation/constants.ts";
import type { StartWire } from "#lib/features/generation/schema.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";

export interface KeywordField extends CreatorRow {
  key: number;
}

export interface KeywordRows {
  rows: KeywordField[];
  add: () => void;
  remove: (key: number) => void;
  /** Restores a removed row at its index, unless the list is full. */
  restore: (row: KeywordField, at: number) => void;
  change: (key: number, part: Partial<CreatorRow>) => void;
  /** Lines of the last paste beyond the limit. */
  leftOut: number;
  /** Appends the first pasted line to the row with this key and adds rows for the others. */
  spread: (key: number, lines: string[]) => void;
  clear: () => void;
  /** Replaces all rows. */
  fill: (rows: readonly CreatorRow[]) => void;
}

const FIRST_KEYS = [1, 2, 3];

const emptyRow = (key: number): KeywordField => ({ key, keyword: "", url: "", imageSource: "generated" });

const isEmpty = ({ keyword, url }: KeywordField): boolean => !keyword && !url;

const nextKey = (rows: readonly KeywordField[]): number => Math.max(0, ...rows.map(({ key }) => key)) + 1;

type KeywordList = { rows: KeywordField[]; leftOut: number };

const FIRST_LIST: KeywordList = { rows: FIRST_KEYS.map(emptyRow), leftOut: 0 };

const spreadLines = (rows: KeywordField[], paste: { key: number; lines: string[]; max: number }): KeywordList => {
  const at = rows.findIndex((row) => row.key === paste.key);
  const target = rows[at] ?? emptyRow(paste.key);
  const [firstLine = "", ...others] = paste.lines;
  // Filled rows below stay; empty ones are replaced.
  const below = rows.slice(at + 1).filter((row) => !isEmpty(row));
  const free = Math.max(0, paste.max - at - 1 - below.length);
  const newKey = nextKey(rows);
  const made = others.slice(0, free).map((line, n) => ({ ...emptyRow(newKey + n), keyword: line }));
  const keyword = [target.keyword, firstLine].filter(Boolean).join(" ");
  return {
    rows: [...rows.slice(0, at), { ...target, keyword }, ...made, ...below],
    leftOut: others.length - made.length,
  };
};

const putBack = (rows: KeywordField[], row: KeywordField, { at, max }: { at: number; max: number }): KeywordField[] => {
  // Removing the only row left an empty one behind.
  const others = rows.length === 1 ? rows.filter((one) => !isEmpty(one)) : rows;
  if (others.length >= max) return rows;
  return [...others.slice(0, at), { ...row, key: nextKey(rows) }, ...others.slice(at)];
};

const firstList = (keywords: readonly string[], url: string): KeywordList =>
  keywords.length === 0
    ? FIRST_LIST
    : { rows: keywords.map((keyword, at) => ({ ...emptyRow(at + 1), keyword, ...(at === 0 && { url }) })), leftOut: 0 };

/**
 * The keyword rows of the form. There is always at least one. `keywords`: initial ones, at most `max`; `url`: that of
 * the first one.
 */
export const useKeywordRows = (max: number, keywords: readonly string[] = [], url = ""): KeywordRows => {
  const [{ rows, leftOut }, setList] = useState<KeywordList>(() => firstList(keywords, url));
  const setRows = useCallback(
    (next: (before: KeywordField[]) => KeywordField[]) =>
      setList((before) => ({ rows: next(before.rows), leftOut: 0 })),
    [],
  );
  return {
    rows,
    leftOut,
    clear: useCallback(() => setList(FIRST_LIST), []),
    fill: useCallback(
      (filled) => setList({ rows: filled.map((row, at) => ({ ...row, key: at + 1 })), leftOut: 0 }),
      [],
    ),
    add: useCallback(
      () => setRows((before) => (before.length < max ? [...before, emptyRow(nextKey(before))] : before)),
      [max, setRows],
    ),
    remove: useCallback(
      (key) =>
        setRows((before) =>
          before.length > 1 ? before.filter((row) => row.key !== key) : [emptyRow(nextKey(before))],
        ),
      [setRows],
    ),
    restore: useCallback((row, at) => setRows((before) => putBack(before, row, { at, max })), [max, setRows]),
    change: useCallback(
      (key, part) => setRows((before) => before.map((row) => (row.key === key ? { ...row, ...part } : row))),
      [setRows],
    ),
    spread: useCallback((key, lines) => setList((before) => spreadLines(before.rows, { key, lines, max })), [max]),
  };
};

/** What is sent of a row: an empty URL as null, and the image only when it isn't generated. */
interface KeywordData {
  keyword: string;
  url: string | null;
  image?: "page";
}

/** Leaves out rows without a keyword. Without a URL there is no page with an image. */
export const toKeywordData = (rows: readonly KeywordField[]): KeywordData[] =>
  rows
    .filter(({ keyword }) => keyword.trim() !== "")
    .map(({ keyword, url, imageSource }) => ({
      ...{ keyword: keyword.trim(), url: url.trim() || null },
      ...(imageSource === "page" && url.trim() !== "" && { image: imageSource }),
    }));

/** Rows that another screen sent in the fragment of the URL, which goes then, so that they are used once. */
export const useSentRows = (fill: KeywordRows["fill"], onSent: () => void): void => {
  const reportSent = useEffectEvent(onSent);
  useEffect(() => {
    const rows = creatorRowsOf(location.hash, { count: KEYWORDS_MAX, keyword: KEYWORD_MAX, url: LINK_MAX });
    if (rows.length === 0) return;
    fill(rows);
    reportSent();
    return removeFragment();
  }, [fill]);
};

export type Quality = "high" | "standard";

export interface CreatorChoices {
  accountId: string | null;
  boardId: string | null;
  boardSectionId: string | null;
  quality: Quality | undefined;
  /** What happens to a row whose page can't be read. */
  unreadPage: UnreadPageChoice;
  /** Pins for each keyword. */
  variants: Variants;
  setAccountId: (id: string) => void;
  /** Also clears the section. */
  setBoardId: (id: string | null) => void;
  setSectionId: (id: string | null) => void;
  setQuality: (quality: Quality) => void;
  setUnreadPage: (choice: UnreadPageChoice) => void;
  setVariants: (variants: Variants) => void;
}

interface FirstChoices {
  accountId: string | null;
  boardId: string | null;
  /** By account: how many pins per keyword its last generation had. */
  variants: Readonly<Record<string, Variants>>;
}

/** Changing the account clears the board, and shows its own number of pins per keyword until one is chosen. */
export const useCreatorChoices = (first: FirstChoices): CreatorChoices => {
  const [accountId, setAccount] = useState(first.accountId);
  const [{ boardId, boardSectionId }, setPlace] = useState<{ boardId: string | null; boardSectionId: string | null }>({
    boardId: first.boardId,
    boardSectionId: null,
  });
  const setBoardId = useCallback((id: string | null) => setPlace({ boardId: id, boardSectionId: null }), []);
  const [quality, setQuality] = useState<Quality | undefined>("standard");
  const [unreadPage, setUnreadPage] = useState<UnreadPageChoice>("use_keyword");
  const [variants, setVariants] = useState<Variants | null>(null);
  return {
    accountId,
    boardId,
    boardSectionId,
    quality,
    unreadPage,
    variants: variants ?? first.variants[accountId ?? ""] ?? 1,
    setAccountId: useCallback(
      (id) => {
        setAccount(id || null);
        setBoardId(null);
      },
      [setBoardId],
    ),
    setBoardId,
    setSectionId: useCallback((id) => setPlace((place) => ({ ...place, boardSectionId: id })), []),
    setQuality,
    setUnreadPage,
    setVariants,
  };
};

/** Why a batch did not start. `rowKey` is the row that the server rejected, if any. */
export interface StartProblem {
  text: string;
  rowKey: number | null;
  needsConfirmation: boolean;
}

interface Starting {
  isStarting: boolean;
  problem: StartProblem | null;
  warning: string | null;
  start: (rows: readonly KeywordField[]) => Promise<void>;
  reset: () => void;
}

/** Converts the server's row number, which does not count empty rows, to the one on screen. */
const toProblem = (error: ApiError, rows: readonly KeywordField[]): StartProblem => {
  const sent = rows.filter(({ keyword }) => keyword.trim() !== "");
  const fault = rowFaultOf(error);
  const row = fault && sent[fault.number - 1];
  const needsConfirmation = codeOf(error) === "email_unconfirmed";
  if (!row) return { text: describeFailure(error, TEXTS.startFailed), rowKey: null, needsConfirmation };
  return { text: `Row ${rows.indexOf(row) + 1}: ${fault.text}`, rowKey: row.key, needsConfirmation };
};

/** Sends the batch. `onStarted` is called only when at least one task started. */
export const useStart = (choices: CreatorChoices, onStarted: (groupId: string) => void): Starting => {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const { isSessionFailure } = useSessionEnd();
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<Starting["problem"]>(null);
  const [warning, setWarning] = useState<string | null>(null);
  const last = useRef({ content: "", key: "" });

  /** The same content reuses its key until a response arrives, so a lost response never means paying twice. */
  const keyFor = (content: string): string => {
    if (last.current.content !== content) last.current = { content, key: randomKey() };
    return last.current.key;
  };

  const start = async (rows: readonly KeywordField[]) => {
    const keywords = toKeywordData(rows);
    if (keywords.length === 0) return notice.error(TEXTS.enterKeyword);
    setStarting(true);
    setProblem(null);
    setWarning(null);
    try {
      const body = {
        pinterest_account: choices.accountId,
        board_id: choices.boardId,
        ...(choices.boardSectionId && { board_section_id: choices.boardSectionId }),
        quality: choices.quality,
        ...(choices.unreadPage !== "use_keyword" && { unreadable_page: choices.unreadPage }),
        ...(choices.variants > 1 && { variants: choices.variants }),
        keyword_data: keywords,
      };
      const writeKey = keyFor(JSON.stringify(body));
      const answer = await api.post<StartWire>("/api/users/pinterest/generate-pins/", body, { writeKey });
      last.current = { content: "", key: "" };
      setWarning(answer.warning);
      reloadCredits();
      if (answer.total_tasks > 0 && answer.group_id) onStarted(answer.group_id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isSessionFailure(error)) return;
      setProblem(toProblem(error, rows));
    } finally {
      setStarting(false);
    }
  };

  return {
    isStarting,
    problem,
    warning,
    start,
    reset: () => {
      setProblem(null);
      setWarning(null);
    },
  };
};
