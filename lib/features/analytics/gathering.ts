import "server-only";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { resultGathers } from "#db/schema/analytics.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { DaySpan } from "#lib/integrations/pinterest/port.ts";
import {
  BULK_REFUSED_MS,
  CALLS_KEPT,
  FAILURE_FIRST_MS,
  FAILURE_LONGEST_MS,
  FAILURES_MAX,
  FORGOTTEN_FIRST_MS,
  GONE_CODE,
  GONE_MAX,
  GROUP_FAILURES_MAX,
  LIMIT_PAUSE_LEAST_MS,
  LIMIT_PAUSE_MS,
  MOVE_LONGEST_MS,
  PIN_FAILURES_MAX,
  PINS_PER_CALL,
  REFUSALS_MAX,
  TEXTS,
} from "./constants.ts";
import { pickPins } from "./gathering-queue.ts";
import { type GroupEnd, readGroup } from "./pinterest-calls.ts";
import { dayOf, firstToldDay, shiftDay } from "./policy.ts";
import type { GatherRequested, GatherWalk } from "./schema.ts";
import { storeFigures } from "./stored-figures.ts";

/** What follows a move: the run is done, or the same again after a while with this walk. */
export type GatherMove =
  | { kind: "done"; outcome: "covered" | "held" | "not_needed" | "off" }
  | { kind: "more"; afterMs: number; walk: GatherWalk };

/** The run that was sent last: one that was given up ends with its next move, even when it was not dead but slow. */
const isOf = ({ accountId, generation, sweeps }: GatherRequested) =>
  and(
    eq(resultGathers.accountId, accountId),
    eq(resultGathers.generation, generation),
    eq(resultGathers.sweeps, sweeps),
    isNotNull(resultGathers.wakeAt),
  );

/** The run, as long as it is this one and its account is there. */
const findRun = async (ctx: Ctx, request: GatherRequested) => {
  const [row] = await ctx.db
    .select({
      status: pinterestAccounts.status,
      askedAt: resultGathers.askedAt,
      isBulkRefused: sql<boolean>`coalesce(${resultGathers.bulkRefusedUntil} > now(), false)`,
    })
    .from(resultGathers)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, resultGathers.accountId))
    .where(isOf(request));
  return row;
};

/** Says that the run is alive, so that the sweep sends no other, and when it goes on, where it has to wait. */
const stayAlive = async (ctx: Ctx, request: GatherRequested, wait?: Turn & { kind: "wait" }): Promise<void> => {
  const resumesAt = addMs(await databaseTime(ctx), wait?.afterMs ?? 0);
  await ctx.db
    .update(resultGathers)
    .set({
      wakeAt: addMs(resumesAt, FORGOTTEN_FIRST_MS),
      resumesAt: wait && !wait.isPace ? resumesAt : null,
      problemText: wait?.text ?? null,
    })
    .where(isOf(request));
};

const end = async (
  ctx: Ctx,
  request: GatherRequested,
  outcome: Exclude<GatherMove, { kind: "more" }>["outcome"],
  held: (Turn & { kind: "held" }) | null = null,
): Promise<GatherMove> => {
  await ctx.db
    .update(resultGathers)
    .set({
      ...{ wakeAt: null, resumesAt: null, finishedAt: sql`now()` },
      ...{ problemText: held?.text ?? null, heldBy: held?.by ?? null },
    })
    .where(isOf(request));
  ctx.log.set({ results_outcome: outcome });
  return { kind: "done", outcome };
};

/** Until yesterday: today is never final, and not even begun at Pinterest while our clock is a little ahead. */
const spanOf = (now: Date): DaySpan => ({ firstDay: firstToldDay(now), lastDay: shiftDay(dayOf(now), -1) });

/** What a run works on. `since`: when it was asked for. */
interface Task {
  accountId: AccountId;
  since: Date;
}

/** The next pins; none for a run that took longer than figures are kept: what it read first is missing again. */
const pickGroups = async (ctx: Ctx, task: Task, isBulkRefused: boolean): Promise<string[][]> => {
  const endsAt = addMs(task.since, ctx.settings.analyticsCacheHours * HOUR_MS);
  if (endsAt <= (await databaseTime(ctx))) return [];
  const picked = await pickPins(ctx, { ...task, count: isBulkRefused ? CALLS_KEPT.gathering : PINS_PER_CALL });
  if (picked.length === 0) return [];
  return isBulkRefused ? picked.map((id) => [id]) : [picked];
};

/** Whether a run that is held left anything undone: pins that are gone may have been its last. */
const isLeft = async (ctx: Ctx, task: Task, { by }: Turn & { kind: "held" }): Promise<boolean> =>
  by !== "pins" || (await pickPins(ctx, { ...task, count: 1 })).length > 0;

const noteBulkRefused = async (ctx: Ctx, accountId: AccountId): Promise<void> => {
  const until = addMs(await databaseTime(ctx), BULK_REFUSED_MS);
  await ctx.db.update(resultGathers).set({ bulkRefusedUntil: until }).where(eq(resultGathers.accountId, accountId));
};

const toPinIds = (ids: readonly string[]): PinId[] => ids.filter((id) => isId("pin", id));

/** One call for the first group of the walk, with all that is written down of it. */
const takeTurn = async (ctx: Ctx<"pinterest">, task: Task, walk: GatherWalk): Promise<Turn> => {
  const { accountId } = task;
  const pinIds = toPinIds(walk.groups[0] ?? []);
  const now = await databaseTime(ctx);
  const span = spanOf(now);
  const groupEnd = await readGroup(ctx, { ...task, pinIds, span });
  if (groupEnd.kind === "read") ctx.log.count("results_stored", groupEnd.stored);
  const turn = settleGroup(walk, groupEnd);
  if (turn.isBulkRefused) await noteBulkRefused(ctx, accountId);
  const [pinId] = pinIds;
  if (turn.alone && pinId) {
    const askedAt = groupEnd.kind === "problem" ? (groupEnd.askedAt ?? now) : now;
    const found = [{ pinId, state: turn.alone, firstDay: span.firstDay, readyThrough: null }];
    await storeFigures(ctx, { accountId, askedAt, found });
  }
  return turn;
};

/**
 * One move of a run that fetches an account's figures (A-83, D8, decision 23): about ten calls, those pins first that a
 * reader misses most. What was read is stored call by call, so whoever dies has lost one call; run twice it asks twice
 * and writes the same. `walk`: what the last move left over; a run that begins anew has none and picks it again.
 */
export const gatherResults = async (
  ctx: Ctx<"pinterest">,
  { walk: before, ...request }: GatherRequested & { walk: GatherWalk },
): Promise<GatherMove> => {
  const run = await findRun(ctx, request);
  if (!run) return { kind: "done", outcome: "not_needed" };
  if (ctx.settings.analyticsCacheHours === 0) return end(ctx, request, "off");
  const { accountId } = request;
  if (run.status === "removed" || !isId("account", accountId)) return end(ctx, request, "not_needed");
  await stayAlive(ctx, request);
  const task = { accountId, since: run.askedAt };
  let { isBulkRefused } = run;
  let walk = before;
  const endsAtMs = performance.now() + MOVE_LONGEST_MS;
  // Ten calls or so: then those of this minute are used up, and the turn says how long to wait.
  while (!ctx.stopping.aborted && performance.now() < endsAtMs) {
    if (walk.groups.length === 0) walk = { ...walk, groups: await pickGroups(ctx, task, isBulkRefused) };
    if (walk.groups.length === 0) return end(ctx, request, "covered");
    const turn = await takeTurn(ctx, task, walk);
    walk = turn.walk;
    isBulkRefused ||= turn.isBulkRefused ?? false;
    if (turn.kind === "held") {
      return (await isLeft(ctx, task, turn)) ? end(ctx, request, "held", turn) : end(ctx, request, "covered");
    }
    if (turn.kind === "on") continue;
    await stayAlive(ctx, request, turn);
    return { kind: "more", afterMs: turn.afterMs, walk };
  }
  return { kind: "more", afterMs: 0, walk };
};

type HeldBy = NonNullable<(typeof resultGathers.$inferSelect)["heldBy"]>;

/**
 * What follows a call. `on`: the next one; `wait`: the next one later, with a text when something stands against it;
 * `held`: the run ends, `by` what. `isPace`: no more than the pace of calls; nobody is told that it waits.
 * `alone`: what to write down of the one pin that was asked for.
 */
type Turn = {
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
