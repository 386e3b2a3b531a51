import "server-only";
import type { resultGathers } from "#db/schema/results.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import {
  CALLS_KEPT,
  FAILURE_FIRST_MS,
  FAILURE_LONGEST_MS,
  FAILURES_MAX,
  GONE_CODE,
  GONE_MAX,
  GROUP_FAILURES_MAX,
  LIMIT_PAUSE_LEAST_MS,
  LIMIT_PAUSE_MS,
  PIN_FAILURES_MAX,
  REFUSALS_MAX,
  TEXTS,
} from "./constants.ts";
import type { GroupEnd } from "./read-group.ts";
import type { GatherWalk } from "./schema.ts";

export type HeldBy = NonNullable<(typeof resultGathers.$inferSelect)["heldBy"]>;

/**
 * What follows a call. `on`: the next one; `wait`: the next one later, with a text when something stands against it;
 * `held`: the run ends, `by` what. `isPace`: no more than the pace of calls; nobody is told that it waits.
 * `alone`: what to write down of the one pin that was asked for.
 */
export type Turn = {
  walk: GatherWalk;
  alone?: "gone" | "refused";
  isBulkRefused?: true;
} & (
  | { kind: "on" }
  | { kind: "wait"; afterMs: number; text: string | null; isPace: boolean }
  | { kind: "held"; text: string; by: HeldBy }
);

const singly = (pinIds: readonly string[]): string[][] => pinIds.map((id) => [id]);

const halves = (pinIds: readonly string[]): string[][] => {
  const middle = Math.ceil(pinIds.length / 2);
  return [pinIds.slice(0, middle), pinIds.slice(middle)].filter((half) => half.length > 0);
};

const afterRead = (walk: GatherWalk, group: string[], end: GroupEnd & { kind: "read" }, rest: string[][]): Turn => {
  const pair = walk.pair.filter((id) => id !== group[0] || group.length > 1);
  // Each of two can be read that were refused together: then not the pins are refused, but asking for many.
  const isBulkRefused = walk.pair.length > 0 && pair.length === 0;
  const groups = [...singly(end.leftOut), ...(isBulkRefused ? rest.flatMap(singly) : rest)];
  const next = { ...walk, groups, failures: 0, refusals: 0, gone: 0, reads: walk.reads + 1, pair };
  const turn = { walk: next, ...(isBulkRefused && { isBulkRefused }) };
  const isScarce = end.callsLeft !== null && end.callsLeft.calls <= CALLS_KEPT.screen - CALLS_KEPT.gathering;
  if (!isScarce || !end.callsLeft) return { kind: "on", ...turn };
  // Others use them too: another program of the same user, or on trial everybody. Screens keep what is left.
  const afterMs = Math.max(1, end.callsLeft.resetSeconds) * SECOND_MS;
  return { kind: "wait", afterMs, text: null, isPace: false, ...turn };
};

/** A group that was refused, in halves; two that were refused together are remembered. */
const split = (walk: GatherWalk, group: string[], rest: string[][]): GatherWalk => ({
  ...walk,
  pair: group.length === 2 ? group : walk.pair,
  groups: [...halves(group), ...rest],
});

/** Without a pin that is settled; what was refused together with another is no longer told apart by it. */
const without = (walk: GatherWalk, group: string[], rest: string[][]): GatherWalk => ({
  ...walk,
  pair: walk.pair.some((id) => group.includes(id)) ? [] : walk.pair,
  groups: rest,
});

const afterRefusal = (before: GatherWalk, group: string[], rest: string[][], text: string): Turn => {
  const walk = { ...before, refusals: before.refusals + 1 };
  // Where the run was told something before, the next one goes on behind these.
  if (walk.refusals >= REFUSALS_MAX) return { kind: "held", text, by: walk.reads > 0 ? "pins" : "refused", walk };
  if (group.length > 1) return { kind: "on", walk: split(walk, group, rest) };
  return { kind: "on", alone: "refused", walk: without(walk, group, rest) };
};

const afterGone = (before: GatherWalk, group: string[], rest: string[][]): Turn => {
  if (group.length > 1) return { kind: "on", walk: split(before, group, rest) };
  const walk = { ...without(before, group, rest), gone: before.gone + 1 };
  const isEnough = walk.gone >= GONE_MAX;
  return { alone: "gone", walk, ...(isEnough ? { kind: "held", text: TEXTS.manyGone, by: "pins" } : { kind: "on" }) };
};

interface Failure {
  text: string;
  waitMs: number;
}

const pauseAfter = (failures: number, { text, waitMs }: Failure) => ({
  kind: "wait" as const,
  afterMs: Math.min(FAILURE_LONGEST_MS, Math.max(waitMs, FAILURE_FIRST_MS * 2 ** failures)),
  text,
  isPace: false,
});

/** Half as much may be answered in time, behind the others; after a few in a row they are read one by one. */
const afterFailure = (walk: GatherWalk, group: string[], rest: string[][], failure: Failure): Turn => {
  const [pin] = group;
  if (pin !== undefined && group.length === 1) return afterFailureOf(pin, walk, rest, failure);
  const failures = walk.failures + 1;
  if (failures >= FAILURES_MAX) return { kind: "held", text: failure.text, by: "failing", walk };
  const groups = failures >= GROUP_FAILURES_MAX ? [...singly(group), ...rest] : [...rest, ...halves(group)];
  return { ...pauseAfter(walk.failures, failure), walk: { ...walk, failures, groups } };
};

/**
 * One pin's call failed: the others come first. When it fails again and again while others can be read it is the pin,
 * and it is left alone like one that is refused. Failures in a row are those of different pins.
 */
const afterFailureOf = (pin: string, walk: GatherWalk, rest: string[][], failure: Failure): Turn => {
  const { [pin]: before = { times: 0, since: walk.reads, last: -1 }, ...others } = walk.stuck;
  const times = before.times + 1;
  const failures = walk.failures + (before.last === walk.reads ? 0 : 1);
  const stuck = { ...others, [pin]: { ...before, times, last: walk.reads } };
  const next: GatherWalk = { ...walk, failures, stuck, groups: [...rest, [pin]] };
  if (failures >= FAILURES_MAX) return { kind: "held", text: failure.text, by: "failing", walk: next };
  if (times < PIN_FAILURES_MAX) return { ...pauseAfter(Math.max(walk.failures, before.times), failure), walk: next };
  const isThePin = walk.reads > before.since || (walk.reads > 0 && failures === 1);
  if (!isThePin) return { kind: "held", text: failure.text, by: "failing", walk: next };
  return { kind: "on", alone: "refused", walk: { ...without(next, [pin], rest), stuck: others } };
};

const afterProblem = (
  walk: GatherWalk,
  group: string[],
  rest: string[][],
  { problem }: GroupEnd & { kind: "problem" },
): Turn => {
  const { text } = problem;
  const waitMs = (problem.retryAfterSeconds ?? 0) * SECOND_MS;
  switch (problem.kind) {
    case "restricted": {
      if (group.length === 1) return { kind: "held", text, by: "refused", walk };
      const groups = [...singly(group), ...rest.flatMap(singly)];
      return { kind: "on", isBulkRefused: true, walk: { ...walk, groups } };
    }
    case "not_found":
      // Any other 404 may mean the address, and would cost the pin its figures for long.
      if (problem.httpStatus === 404 && problem.providerCode === GONE_CODE) return afterGone(walk, group, rest);
      return afterRefusal(walk, group, rest, text);
    case "rejected":
      return afterRefusal(walk, group, rest, text);
    case "rate_limited": {
      const afterMs = Math.max(LIMIT_PAUSE_LEAST_MS, waitMs || LIMIT_PAUSE_MS);
      return { kind: "wait", afterMs, text, isPace: false, walk };
    }
    case "busy":
    case "unavailable":
      return afterFailure(walk, group, rest, { text, waitMs });
    case "token_dead":
    case "missing_scope":
      return { kind: "held", text, by: "lost", walk };
    case "trial_access":
    case "spam_block":
      return { kind: "held", text, by: "refused", walk };
  }
};

/**
 * What follows the call for the first group of a walk. One pin that is gone, or refused, has the whole call
 * refused: it is found by halving, and the others lose nothing by it. Refusals in a row mean that all are refused.
 */
export const settleGroup = (walk: GatherWalk, end: GroupEnd): Turn => {
  const [group = [], ...rest] = walk.groups;
  switch (end.kind) {
    case "none":
      return { kind: "on", walk: without(walk, group, rest) };
    case "read":
      return afterRead(walk, group, end, rest);
    case "later":
      return { kind: "wait", afterMs: end.afterMs, text: null, isPace: end.isPace, walk };
    case "lost":
      return { kind: "held", text: end.text, by: "lost", walk };
    case "problem":
      return afterProblem(walk, group, rest, end);
  }
};
