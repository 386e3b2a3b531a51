import "server-only";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { resultGathers } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { type AccountId, isId, type PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import type { DaySpan } from "#lib/integrations/pinterest/port.ts";
import { BULK_REFUSED_MS, CALLS_KEPT, FORGOTTEN_FIRST_MS, MOVE_LONGEST_MS, PINS_PER_CALL } from "./constants.ts";
import { pickPins } from "./pick-pins.ts";
import { dayOf, firstToldDay, shiftDay } from "./policy.ts";
import { readGroup } from "./read-group.ts";
import type { GatherRequested, GatherWalk } from "./schema.ts";
import { settleGroup, type Turn } from "./settle-group.ts";
import { storeFigures } from "./store-figures.ts";

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
