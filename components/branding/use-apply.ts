"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { applyTemplateAction, removeTemplateAction } from "#lib/features/branding/actions.ts";
import { PINS_AT_ONCE } from "#lib/features/branding/constants.ts";
import type { AppliedWire, ApplyTemplateInput, LeftPinWire } from "#lib/features/branding/schema.ts";

/** `done`: pins that were changed; `left`: those that were looked at and stay as they are; the rest was not reached. */
export type Outcome = { done: readonly string[]; left: readonly LeftPinWire[]; problem: string | null };

type Apply = {
  /** How many pins had their turn already; null while nothing goes on. */
  done: number | null;
  apply: (pinIds: readonly string[], writing: Omit<ApplyTemplateInput, "pinIds">) => Promise<Outcome>;
  remove: (pinIds: readonly string[]) => Promise<Outcome>;
  /** No further call is made; the one under way is waited for. */
  stop: () => void;
};

type Call = (some: string[]) => Promise<ActionAnswer<AppliedWire>>;

/** A template comes off every picture. */
const removeFrom: Call = async (pinIds) => {
  const answer = await removeTemplateAction({ pinIds });
  return answer.ok ? { ok: true, value: { left: [] } } : answer;
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

  const run = useCallback(async (pinIds: readonly string[], call: Call): Promise<Outcome> => {
    isStopped.current = false;
    setDone(0);
    let count = 0;
    let problem: string | null = null;
    const left: LeftPinWire[] = [];
    while (count < pinIds.length && problem === null && !isStopped.current) {
      const some = pinIds.slice(count, count + PINS_AT_ONCE);
      const answer = await callAction(call(some));
      if (answer.ok) {
        count += some.length;
        left.push(...answer.value.left);
      } else problem = answer.text;
      setDone(count);
    }
    setDone(null);
    const isLeft = new Set(left.map(({ id }) => id));
    return { done: pinIds.slice(0, count).filter((id) => !isLeft.has(id)), left, problem };
  }, []);

  return {
    done,
    apply: (pinIds, writing) => run(pinIds, (some) => applyTemplateAction({ ...writing, pinIds: some })),
    remove: (pinIds) => run(pinIds, removeFrom),
    stop: () => {
      isStopped.current = true;
    },
  };
}
