import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { countDays, dayOf, firstAvailableDay, lastFinalDay } from "#lib/features/analytics/policy.ts";

const INSERT_MAX = 1_000;

/** The metrics of each known day; null: no metrics are stored. */
export interface Daily {
  impressions: number;
  pinClicks?: number;
  outboundClicks?: number;
  saves?: number;
}

/** A published pin to be seeded. `daily`: constant, or by the day's 0-based index. */
export interface SeededPin {
  row?: Partial<typeof pins.$inferInsert>;
  daily?: Daily | ((day: number) => Daily) | null;
  metrics?: Partial<typeof pinMetrics.$inferInsert>;
}

/** An account of the actor's, as if connected through Pinterest. */
export const seedAccount = async (ctx: FullCtx): Promise<AccountId> => {
  if (ctx.actor.kind !== "user") throw new Error("Only users have accounts.");
  const id = ctx.newId("account");
  const { userId } = ctx.actor;
  const person = { pinterestUserId: id, username: "seeded", status: "connected" as const };
  await ctx.db.insert(pinterestAccounts).values({ id, userId, ...person, connectedAt: ctx.now() });
  return id;
};

/** Running totals by day. */
const runningTotals = (days: number, of: (day: number) => number): number[] => {
  let total = 0;
  return Array.from({ length: days }, (_, day) => {
    total += of(day);
    return total;
  });
};

const metricsOf = (ctx: FullCtx, pinId: string, accountId: string, { daily, metrics }: SeededPin) => {
  if (daily === null && !metrics) return [];
  const [firstDay, readyThrough] = [firstAvailableDay(ctx.now()), lastFinalDay(ctx.now())];
  const days = countDays({ firstDay, lastDay: readyThrough });
  const on = (day: number): Daily => (typeof daily === "function" ? daily(day) : (daily ?? { impressions: 0 }));
  const totals = {
    impressions: runningTotals(days, (day) => on(day).impressions),
    pinClicks: runningTotals(days, (day) => on(day).pinClicks ?? 0),
    outboundClicks: runningTotals(days, (day) => on(day).outboundClicks ?? 0),
    saves: runningTotals(days, (day) => on(day).saves ?? 0),
  };
  const state = "ready" as const;
  return [{ pinId, accountId, state, firstDay, readyThrough, ...totals, fetchedAt: ctx.now(), ...metrics }];
};

/** Seeds published pins with metrics. @returns their ids, in that order */
export const seedPins = async (ctx: FullCtx, accountId: AccountId, seeded: readonly SeededPin[]): Promise<string[]> => {
  if (ctx.actor.kind !== "user") throw new Error("Only users have pins.");
  const { userId } = ctx.actor;
  const publishedAt = addMs(ctx.now(), -100 * DAY_MS);
  const whole = seeded.map((pin) => ({ pin, id: ctx.newId("pin") }));
  for (let from = 0; from < whole.length; from += INSERT_MAX) {
    const part = whole.slice(from, from + INSERT_MAX);
    await ctx.db.insert(pins).values(
      part.map(({ pin, id }) => ({
        ...{ id, userId, accountId, boardId: "1234567890", source: "ai" as const, imageKey: `${id}.jpg` },
        ...{ title: "Seeded", keyword: "seeded", status: "published" as const, publishedAt, pinterestPinId: `p${id}` },
        ...{ createdAt: publishedAt, updatedAt: publishedAt },
        ...pin.row,
      })),
    );
    const metrics = part.flatMap(({ pin, id }) => metricsOf(ctx, id, accountId, pin));
    if (metrics.length > 0) await ctx.db.insert(pinMetrics).values(metrics);
  }
  return whole.map(({ id }) => id);
};

/** The day that is this many days before the last final one. */
export const finalDay = (ctx: FullCtx, before = 0): string => dayOf(addMs(ctx.now(), -(2 + before) * DAY_MS));
