"use client";

import { useState } from "react";
import { actionValue } from "#lib/client/api.ts";
import { pause } from "#lib/client/pause.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { proposePlanAction } from "#lib/features/planning/actions.ts";
import type { PaceRule } from "#lib/features/planning/constants.ts";
import type { PlanWire } from "#lib/features/planning/schema.ts";

/** A rule that the user leaves out of this plan, and why. */
export interface LeftOut {
  rule: PaceRule;
  reason: string;
}

export interface SafePlan {
  /** Null until it has loaded. */
  data: PlanWire | null;
  /** Whether `data` is for other pins, another start, or other rules than now. */
  isOutdated: boolean;
  /** Why there is no plan. */
  problem: string | null;
  leftOut: readonly LeftOut[];
  leaveOut: (rule: LeftOut) => void;
  takeBack: (rule: PaceRule) => void;
  /** Times that the user set, by pin. */
  chosen: ReadonlyMap<string, Date>;
  /** Null goes back to the planned time. */
  choose: (pinId: string, at: Date | null) => void;
  /** Plans again, after other pins were scheduled. */
  renew: () => void;
}

const PAUSE_MS = 400;
/** A plan from now on is made again after this time. */
const FRESH_MS = 5 * MINUTE_MS;

interface Request {
  pinIds: readonly string[];
  /** Null: from now on. */
  start: Date | null;
  now: Date;
  /** Loads nothing while it is false. */
  isOn: boolean;
}

/** Plans the pins at their account's pace, again after each change. */
export const useSafePlan = ({ pinIds, start, now, isOn }: Request): SafePlan => {
  const [leftOut, setLeftOut] = useState<readonly LeftOut[]>([]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Date>>(new Map());
  const [round, setRound] = useState(0);
  const body = {
    post_ids: [...pinIds],
    start: start?.toISOString() ?? null,
    left_out: leftOut.map(({ rule }) => rule),
    chosen: pinIds.flatMap((post_id) => {
      const at = chosen.get(post_id);
      return at ? [{ post_id, due_at: at.toISOString() }] : [];
    }),
  };
  const period = start ? 0 : Math.floor(now.getTime() / FRESH_MS);
  const { data, error, isPlaceholder } = useApiQuery(
    isOn ? ["safe-plan", round, period, body] : null,
    async (signal) => {
      await pause(PAUSE_MS, signal);
      return signal.aborted ? null : actionValue(proposePlanAction(body));
    },
    { placeholderData: (last) => last },
  );
  return {
    data,
    isOutdated: isPlaceholder,
    problem: error instanceof Error ? error.message : null,
    leftOut,
    leaveOut: (one) => setLeftOut((all) => [...all.filter(({ rule }) => rule !== one.rule), one]),
    takeBack: (rule) => setLeftOut((all) => all.filter((one) => one.rule !== rule)),
    chosen,
    choose: (pinId, at) =>
      setChosen((all) => {
        const others = [...all].filter(([id]) => id !== pinId);
        return new Map(at ? [...others, [pinId, at]] : others);
      }),
    renew: () => setRound((before) => before + 1),
  };
};
