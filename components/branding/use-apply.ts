"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { applyTemplateAction, removeTemplateAction } from "#lib/features/branding/actions.ts";
import { PINS_AT_ONCE } from "#lib/features/branding/constants.ts";
import type { ApplyTemplateInput } from "#lib/features/branding/schema.ts";

export type Outcome = { done: number; problem: string | null };

type Apply = {
  /** How many pictures are changed already; null while nothing goes on. */
  done: number | null;
  apply: (pinIds: readonly string[], writing: Omit<ApplyTemplateInput, "pinIds">) => Promise<Outcome>;
  remove: (pinIds: readonly string[]) => Promise<Outcome>;
  /** No further call is made; the one under way is waited for. */
  stop: () => void;
};

/** Changes pictures a few at a time, one call after the other, until all are changed, one is refused, or it is stopped. */
export function useApply(): Apply {
  const [done, setDone] = useState<number | null>(null);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const run = useCallback(
    async (pinIds: readonly string[], call: (some: string[]) => Promise<ActionAnswer<void>>): Promise<Outcome> => {
      isStopped.current = false;
      setDone(0);
      let count = 0;
      let problem: string | null = null;
      while (count < pinIds.length && problem === null && !isStopped.current) {
        const some = pinIds.slice(count, count + PINS_AT_ONCE);
        const answer = await callAction(call(some));
        if (answer.ok) count += some.length;
        else problem = answer.text;
        setDone(count);
      }
      setDone(null);
      return { done: count, problem };
    },
    [],
  );

  return {
    done,
    apply: (pinIds, writing) => run(pinIds, (some) => applyTemplateAction({ ...writing, pinIds: some })),
    remove: (pinIds) => run(pinIds, (some) => removeTemplateAction({ pinIds: some })),
    stop: () => {
      isStopped.current = true;
    },
  };
}
