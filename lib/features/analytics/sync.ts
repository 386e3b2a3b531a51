import "server-only";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs } from "#db/schema/analytics.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { DaySpan } from "#lib/integrations/pinterest/port.ts";
import {
  BULK_REFUSED_MS,
  CALL_LIMITS,
  FAILURE_FIRST_MS,
  FAILURE_MAX_MS,
  FAILURES_MAX,
  GONE_CODE,
  GONE_MAX,
  GROUP_FAILURES_MAX,
  LIMIT_PAUSE_MIN_MS,
  LIMIT_PAUSE_MS,
  PIN_FAILURES_MAX,
  PINS_PER_CALL,
  REFUSALS_MAX,
  STALLED_FIRST_MS,
  STEP_MAX_MS,
  TEXTS,
} from "./constants.ts";
import { type GroupResult, readGroup } from "./pinterest-calls.ts";
import { dayOf, firstAvailableDay, shiftDay } from "./policy.ts";
import type { SyncProgress, SyncRequested } from "./schema.ts";
import { storeMetrics } from "./stored-metrics.ts";
import { pickPins } from "./sync-queue.ts";

export type SyncStep =
  | { kind: "done"; outcome: "covered" | "held" | "not_needed" | "off" }
  | { kind: "more"; afterMs: number; progress: SyncProgress };

/** Matches only the newest run; an older one ends at its next step. */
const isCurrentRun = ({ accountId, generation, sweeps }: SyncRequested) =>
  and(
    eq(analyticsSyncs.accountId, accountId),
    eq(analyticsSyncs.generation, generation),
    eq(analyticsSyncs.sweeps, sweeps),
    isNotNull(analyticsSyncs.wakeAt),
  );

const findRun = async (ctx: Ctx, request: SyncRequested) => {
  const [row] = await ctx.db
    .select({
      status: pinterestAccounts.status,
      requestedAt: analyticsSyncs.requestedAt,
      isBulkRefused: sql<boolean>`coalesce(${analyticsSyncs.bulkRefusedUntil} > now(), false)`,
    })
    .from(analyticsSyncs)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, analyticsSyncs.accountId))
    .where(isCurrentRun(request));
  return row;
};

const keepAlive = async (ctx: Ctx, request: SyncRequested, wait?: Decision & { kind: "wait" }): Promise<void> => {
  const resumesAt = addMs(await databaseTime(ctx), wait?.afterMs ?? 0);
  await ctx.db
    .update(analyticsSyncs)
    .set({
      wakeAt: addMs(resumesAt, STALLED_FIRST_MS),
      resumesAt: wait && !wait.isRateLimit ? resumesAt : null,
      problemText: wait?.text ?? null,
    })
    .where(isCurrentRun(request));
};

const finishRun = async (
  ctx: Ctx,
  request: SyncRequested,
  outcome: Exclude<SyncStep, { kind: "more" }>["outcome"],
  held: (Decision & { kind: "held" }) | null = null,
): Promise<SyncStep> => {
  await ctx.db
    .update(analyticsSyncs)
    .set({
      ...{ wakeAt: null, resumesAt: null, finishedAt: sql`now()` },
      ...{ problemText: held?.text ?? null, heldBy: held?.by ?? null },
    })
    .where(isCurrentRun(request));
  ctx.log.set({ analytics_outcome: outcome });
  return { kind: "done", outcome };
};

/** Up to yesterday: today is never final, and our clock may be ahead of Pinterest's. */
const spanOf = (now: Date): DaySpan => ({ firstDay: firstAvailableDay(now), lastDay: shiftDay(dayOf(now), -1) });

interface Task {
  accountId: AccountId;
  since: Date;
}

/** The next pins to read. Empty once a run takes longer than metrics are kept, since it would otherwise never end. */
const pickGroups = async (ctx: Ctx, task: Task, isBulkRefused: boolean): Promise<string[][]> => {
  const endsAt = addMs(task.since, ctx.settings.analyticsCacheHours * HOUR_MS);
  if (endsAt <= (await databaseTime(ctx))) return [];
  const picked = await pickPins(ctx, { ...task, count: isBulkRefused ? CALL_LIMITS.sync : PINS_PER_CALL });
  if (picked.length === 0) return [];
  return isBulkRefused ? picked.map((id) => [id]) : [picked];
};

const hasPinsLeft = async (ctx: Ctx, task: Task, { by }: Decision & { kind: "held" }): Promise<boolean> =>
  by !== "pins" || (await pickPins(ctx, { ...task, count: 1 })).length > 0;

const recordBulkRefused = async (ctx: Ctx, accountId: AccountId): Promise<void> => {
  const until = addMs(await databaseTime(ctx), BULK_REFUSED_MS);
  await ctx.db.update(analyticsSyncs).set({ bulkRefusedUntil: until }).where(eq(analyticsSyncs.accountId, accountId));
};

const toPinIds = (ids: readonly string[]): PinId[] => ids.filter((id) => isId("pin", id));

const readNextGroup = async (ctx: Ctx<"pinterest">, task: Task, progress: SyncProgress): Promise<Decision> => {
  const { accountId } = task;
  const pinIds = toPinIds(progress.groups[0] ?? []);
  const now = await databaseTime(ctx);
  const span = spanOf(now);
  const result = await readGroup(ctx, { ...task, pinIds, span });
  if (result.kind === "read") ctx.log.count("analytics_stored", result.stored);
  const decision = decideNext(progress, result);
  if (decision.isBulkRefused) await recordBulkRefused(ctx, accountId);
  const [pinId] = pinIds;
  if (decision.singlePinState && pinId) {
    const requestedAt = result.kind === "problem" ? (result.requestedAt ?? now) : now;
    const found = [{ pinId, state: decision.singlePinState, firstDay: span.firstDay, readyThrough: null }];
    await storeMetrics(ctx, { accountId, requestedAt, found });
  }
  return decision;
};

/** About ten calls (decision 0023). Each result is stored at once, and repeating a step is safe. */
export const syncAnalytics = async (
  ctx: Ctx<"pinterest">,
  { progress: before, ...request }: SyncRequested & { progress: SyncProgress },
): Promise<SyncStep> => {
  const run = await findRun(ctx, request);
  if (!run) return { kind: "done", outcome: "not_needed" };
  if (ctx.settings.analyticsCacheHours === 0) return finishRun(ctx, request, "off");
  const { accountId } = request;
  if (run.status === "removed" || !isId("account", accountId)) return finishRun(ctx, request, "not_needed");
  await keepAlive(ctx, request);
  const task = { accountId, since: run.requestedAt };
  let { isBulkRefused } = run;
  let progress = before;
  const endsAtMs = performance.now() + STEP_MAX_MS;
  // After about ten calls the minute's limit is used up, and the decision says how long to wait.
  while (!ctx.stopping.aborted && performance.now() < endsAtMs) {
    if (progress.groups.length === 0) progress = { ...progress, groups: await pickGroups(ctx, task, isBulkRefused) };
    if (progress.groups.length === 0) return finishRun(ctx, request, "covered");
    const decision = await readNextGroup(ctx, task, progress);
    progress = decision.progress;
    isBulkRefused ||= decision.isBulkRefused ?? false;
    if (decision.kind === "held") {
      return (await hasPinsLeft(ctx, task, decision))
        ? finishRun(ctx, request, "held", decision)
        : finishRun(ctx, request, "covered");
    }
    if (decision.kind === "continue") continue;
    await keepAlive(ctx, request, decision);
    return { kind: "more", afterMs: decision.afterMs, progress };
  }
  return { kind: "more", afterMs: 0, progress };
};

type HeldBy = NonNullable<(typeof analyticsSyncs.$inferSelect)["heldBy"]>;

/** `held`: the run ends, `by` its reason. `isRateLimit`: the wait is only our own rate limit and is not shown. */
type Decision = {
  progress: SyncProgress;
  singlePinState?: "gone" | "refused";
  isBulkRefused?: true;
} & (
  | { kind: "continue" }
  | { kind: "wait"; afterMs: number; text: string | null; isRateLimit: boolean }
  | { kind: "held"; text: string; by: HeldBy }
);

const oneByOne = (pinIds: readonly string[]): string[][] => pinIds.map((id) => [id]);

const halves = (pinIds: readonly string[]): string[][] => {
  const middle = Math.ceil(pinIds.length / 2);
  return [pinIds.slice(0, middle), pinIds.slice(middle)].filter((half) => half.length > 0);
};

const afterRead = (
  progress: SyncProgress,
  group: string[],
  end: GroupResult & { kind: "read" },
  rest: string[][],
): Decision => {
  const pair = progress.pair.filter((id) => id !== group[0] || group.length > 1);
  // Both pins of a refused pair can be read alone, so Pinterest refuses bulk calls and not the pins.
  const isBulkRefused = progress.pair.length > 0 && pair.length === 0;
  const groups = [...oneByOne(end.leftOut), ...(isBulkRefused ? rest.flatMap(oneByOne) : rest)];
  const next = { ...progress, groups, failures: 0, refusals: 0, gone: 0, reads: progress.reads + 1, pair };
  const decision = { progress: next, ...(isBulkRefused && { isBulkRefused }) };
  const isScarce = end.callsLeft !== null && end.callsLeft.calls <= CALL_LIMITS.screen - CALL_LIMITS.sync;
  if (!isScarce || !end.callsLeft) return { kind: "continue", ...decision };
  // Other apps of the user share this limit, so the remaining calls are left to screens.
  const afterMs = Math.max(1, end.callsLeft.resetSeconds) * SECOND_MS;
  return { kind: "wait", afterMs, text: null, isRateLimit: false, ...decision };
};

const splitGroup = (progress: SyncProgress, group: string[], rest: string[][]): SyncProgress => ({
  ...progress,
  pair: group.length === 2 ? group : progress.pair,
  groups: [...halves(group), ...rest],
});

const withoutGroup = (progress: SyncProgress, group: string[], rest: string[][]): SyncProgress => ({
  ...progress,
  pair: progress.pair.some((id) => group.includes(id)) ? [] : progress.pair,
  groups: rest,
});

const afterRefusal = (before: SyncProgress, group: string[], rest: string[][], text: string): Decision => {
  const progress = { ...before, refusals: before.refusals + 1 };
  // If earlier calls succeeded, the next run continues after these pins.
  if (progress.refusals >= REFUSALS_MAX)
    return { kind: "held", text, by: progress.reads > 0 ? "pins" : "refused", progress };
  if (group.length > 1) return { kind: "continue", progress: splitGroup(progress, group, rest) };
  return { kind: "continue", singlePinState: "refused", progress: withoutGroup(progress, group, rest) };
};

const afterGone = (before: SyncProgress, group: string[], rest: string[][]): Decision => {
  if (group.length > 1) return { kind: "continue", progress: splitGroup(before, group, rest) };
  const progress = { ...withoutGroup(before, group, rest), gone: before.gone + 1 };
  const isEnough = progress.gone >= GONE_MAX;
  return {
    singlePinState: "gone",
    progress,
    ...(isEnough ? { kind: "held", text: TEXTS.manyGone, by: "pins" } : { kind: "continue" }),
  };
};

interface Failure {
  text: string;
  waitMs: number;
}

const pauseAfter = (failures: number, { text, waitMs }: Failure) => ({
  kind: "wait" as const,
  afterMs: Math.min(FAILURE_MAX_MS, Math.max(waitMs, FAILURE_FIRST_MS * 2 ** failures)),
  text,
  isRateLimit: false,
});

/** A smaller group may be answered in time. After several failures pins are read one by one. */
const afterFailure = (progress: SyncProgress, group: string[], rest: string[][], failure: Failure): Decision => {
  const [pin] = group;
  if (pin !== undefined && group.length === 1) return afterFailureOf(pin, progress, rest, failure);
  const failures = progress.failures + 1;
  if (failures >= FAILURES_MAX) return { kind: "held", text: failure.text, by: "failing", progress };
  const groups = failures >= GROUP_FAILURES_MAX ? [...oneByOne(group), ...rest] : [...rest, ...halves(group)];
  return { ...pauseAfter(progress.failures, failure), progress: { ...progress, failures, groups } };
};

/** Retries a failed pin after the others. If it keeps failing while others succeed, it is marked as refused. */
const afterFailureOf = (pin: string, progress: SyncProgress, rest: string[][], failure: Failure): Decision => {
  // A run under way during a deploy may hold the earlier key, `endlessList`.
  const failing = progress.failingPins ?? progress.endlessList ?? {};
  const { [pin]: before = { times: 0, since: progress.reads, last: -1 }, ...others } = failing;
  const times = before.times + 1;
  const failures = progress.failures + (before.last === progress.reads ? 0 : 1);
  const failingPins = { ...others, [pin]: { ...before, times, last: progress.reads } };
  const next: SyncProgress = { ...progress, failures, failingPins, groups: [...rest, [pin]] };
  if (failures >= FAILURES_MAX) return { kind: "held", text: failure.text, by: "failing", progress: next };
  if (times < PIN_FAILURES_MAX)
    return { ...pauseAfter(Math.max(progress.failures, before.times), failure), progress: next };
  const isThePin = progress.reads > before.since || (progress.reads > 0 && failures === 1);
  if (!isThePin) return { kind: "held", text: failure.text, by: "failing", progress: next };
  return {
    kind: "continue",
    singlePinState: "refused",
    progress: { ...withoutGroup(next, [pin], rest), failingPins: others },
  };
};

const afterProblem = (
  progress: SyncProgress,
  group: string[],
  rest: string[][],
  { problem }: GroupResult & { kind: "problem" },
): Decision => {
  const { text } = problem;
  const waitMs = (problem.retryAfterSeconds ?? 0) * SECOND_MS;
  switch (problem.kind) {
    case "restricted": {
      if (group.length === 1) return { kind: "held", text, by: "refused", progress };
      const groups = [...oneByOne(group), ...rest.flatMap(oneByOne)];
      return { kind: "continue", isBulkRefused: true, progress: { ...progress, groups } };
    }
    case "not_found":
      // Any other 404 may be about the endpoint, and marking the pin as deleted would hide its metrics for a month.
      if (problem.httpStatus === 404 && problem.providerCode === GONE_CODE) return afterGone(progress, group, rest);
      return afterRefusal(progress, group, rest, text);
    case "rejected":
      return afterRefusal(progress, group, rest, text);
    case "rate_limited": {
      const afterMs = Math.max(LIMIT_PAUSE_MIN_MS, waitMs || LIMIT_PAUSE_MS);
      return { kind: "wait", afterMs, text, isRateLimit: false, progress };
    }
    case "busy":
    case "unavailable":
      return afterFailure(progress, group, rest, { text, waitMs });
    case "token_dead":
    case "missing_scope":
      return { kind: "held", text, by: "lost", progress };
    case "trial_access":
    case "spam_block":
      return { kind: "held", text, by: "refused", progress };
  }
};

/** One deleted or refused pin makes Pinterest refuse the whole group, so it is found by halving. */
export const decideNext = (progress: SyncProgress, end: GroupResult): Decision => {
  const [group = [], ...rest] = progress.groups;
  switch (end.kind) {
    case "none":
      return { kind: "continue", progress: withoutGroup(progress, group, rest) };
    case "read":
      return afterRead(progress, group, end, rest);
    case "later":
      return { kind: "wait", afterMs: end.afterMs, text: null, isRateLimit: end.isRateLimit, progress };
    case "lost":
      return { kind: "held", text: end.text, by: "lost", progress };
    case "problem":
      return afterProblem(progress, group, rest, end);
  }
};
