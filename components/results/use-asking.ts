"use client";

import { useCallback, useEffect, useState } from "react";
import { callAction } from "#lib/client/call-action.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { askForResultsAction } from "#lib/features/analytics/actions.ts";

interface Asked {
  turn: number;
  /** Why missing figures are not fetched. */
  problem: string | null;
  /** Whole seconds until they can be asked for again. */
  againInSeconds: number | null;
}

/** What came of asking that missing figures be fetched. */
export interface Asking extends Omit<Asked, "turn"> {
  /** Names the asking that was answered; null while one is under way. */
  turn: string | null;
  /** They are asked for once more. */
  isAgain: boolean;
  ask: () => void;
}

/** Asks once for each account that missing figures be fetched; the report is read after that, so that it knows. */
export const useAsking = (accountId: string): Asking => {
  const [turn, setTurn] = useState(0);
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    let isWanted = true;
    void callAction(askForResultsAction({ accountId })).then((answer) => {
      if (!isWanted) return;
      const againInSeconds = answer.ok ? (answer.value.againInSeconds ?? null) : null;
      setAsked({ turn, problem: answer.ok ? null : answer.text, againInSeconds });
    });
    return () => {
      isWanted = false;
    };
  }, [accountId, turn]);
  // Once the time is over the words would be wrong.
  useEffect(() => {
    if (!asked?.againInSeconds) return;
    const timer = setTimeout(() => setAsked({ ...asked, againInSeconds: null }), asked.againInSeconds * SECOND_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  return {
    turn: asked?.turn === turn ? `${accountId} ${turn}` : null,
    isAgain: turn > 0 && asked?.turn !== turn,
    problem: asked?.problem ?? null,
    againInSeconds: asked?.againInSeconds ?? null,
    ask: useCallback(() => setTurn((before) => before + 1), []),
  };
};
