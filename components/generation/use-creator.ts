"use client";

import { useCallback, useState } from "react";
import { useCredits } from "#components/credits/credits-context.tsx";
import { type KeywordField, toKeywordData } from "#components/generation/use-keyword-rows.ts";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import type { StartWire } from "#lib/features/generation/schema.ts";

export type Quality = "high" | "standard";

/** What is chosen for the next batch. */
export interface CreatorChoices {
  accountId: string | null;
  boardId: string | null;
  quality: Quality | undefined;
  setAccountId: (id: string) => void;
  setBoardId: (id: string | null) => void;
  setQuality: (quality: Quality) => void;
}

/** Account, board and quality; a change of account takes its board away. */
export const useCreatorChoices = (firstAccountId: string | null): CreatorChoices => {
  const [accountId, setAccount] = useState(firstAccountId);
  const [boardId, setBoardId] = useState<string | null>(null);
  const [quality, setQuality] = useState<Quality | undefined>("standard");
  return {
    accountId,
    boardId,
    quality,
    setAccountId: useCallback((id) => {
      setAccount(id || null);
      setBoardId(null);
    }, []),
    setBoardId,
    setQuality,
  };
};

/** Why a batch did not start; `rowKey` names the row of the form that the server objected to. */
export interface StartProblem {
  text: string;
  rowKey: number | null;
}

/** Starting a batch, and what came of it. */
export interface Starting {
  isStarting: boolean;
  problem: StartProblem | null;
  warning: string | null;
  start: (rows: readonly KeywordField[]) => Promise<void>;
  /** Makes room for the next batch. */
  reset: () => void;
}

/** The server counts the rows it was sent; the form also has empty ones. Both name the row as the screen does. */
const toProblem = (error: unknown, rows: readonly KeywordField[]): StartProblem => {
  const text = describeFailure(error, TEXTS.startFailed);
  const sent = rows.filter(({ keyword }) => keyword.trim() !== "");
  const named = /^Row (\d+)/.exec(text)?.[1];
  const row = named === undefined ? undefined : sent[Number(named) - 1];
  if (!row) return { text, rowKey: null };
  return { text: text.replace(/^Row \d+/, `Row ${rows.indexOf(row) + 1}`), rowKey: row.key };
};

/** R-AIC-07 to R-AIC-12: sends the batch; tracking begins only when at least one task started. */
export const useStart = (choices: CreatorChoices, onStarted: (groupId: string) => void): Starting => {
  const notice = useNotice();
  const { reload: reloadCredits } = useCredits();
  const { isSessionFailure } = useSessionEnd();
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<Starting["problem"]>(null);
  const [warning, setWarning] = useState<string | null>(null);

  const start = async (rows: readonly KeywordField[]) => {
    const keywords = toKeywordData(rows);
    if (keywords.length === 0) return notice.error(TEXTS.enterKeyword);
    setStarting(true);
    setProblem(null);
    setWarning(null);
    try {
      const answer = await api.post<StartWire>("/api/users/pinterest/generate-pins/", {
        pinterest_account: choices.accountId,
        board_id: choices.boardId,
        quality: choices.quality,
        keyword_data: keywords,
      });
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
