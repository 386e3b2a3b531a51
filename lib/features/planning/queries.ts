import "server-only";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { accountPaces, planOverrides } from "#db/schema/planning.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId, BatchId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { findTimeZones } from "#lib/features/accounts/queries.ts";
import { findPublished, findScheduled, type KnownPin } from "#lib/features/publishing/queries.ts";
import { PACE_RULES, type PaceNumbers, PRESET_DEFAULT, PRESETS } from "./constants.ts";
import { expectedTimes } from "./policy.ts";
import { type PlanNoteWire, paceNumbers } from "./schema.ts";
import type { History } from "./timeline.ts";

/** An account's numbers, and its zone, which its days and quiet hours follow. */
export interface AccountPace {
  numbers: PaceNumbers;
  timeZone: string;
}

/** Stored numbers that no longer fit the ranges count as the default. Callers must have checked ownership. */
export const findPaces = async (
  ctx: Ctx,
  accountIds: readonly AccountId[],
): Promise<(accountId: AccountId) => AccountPace> => {
  const [rows, zones] = await Promise.all([
    ctx.db.select().from(accountPaces).where(isAnyOf(accountPaces.accountId, accountIds)),
    findTimeZones(ctx, accountIds),
  ]);
  const stored = new Map(rows.map((row) => [row.accountId, paceNumbers.safeParse(row.numbers).data]));
  return (accountId) => ({
    numbers: stored.get(accountId) ?? PRESETS[PRESET_DEFAULT],
    timeZone: zones.get(accountId) ?? "UTC",
  });
};

/** The daily limit counts the pins of a whole day, which began at most this long ago. */
const DAY_BEGAN_MS = 2 * DAY_MS;

/**
 * What the accounts did so far, as far as their rules look back, without the pins in `except`, which get other times.
 * Callers must have checked ownership.
 */
export const findHistories = async (
  ctx: Ctx,
  accounts: ReadonlyMap<AccountId, AccountPace>,
  now: Date,
  except: ReadonlySet<string> = new Set(),
): Promise<(accountId: AccountId) => History> => {
  const ids = [...accounts.keys()];
  const spanDays = Math.max(
    0,
    ...[...accounts.values()].map(({ numbers }) => Math.max(numbers.linkDays, numbers.similarDays)),
  );
  const since = addMs(now, -Math.max(DAY_BEGAN_MS, spanDays * DAY_MS));
  const isPublished = and(isAnyOf(pins.accountId, ids), eq(pins.status, sql`'published'`));
  const [scheduled, published, connected, counts] = await Promise.all([
    findScheduled(ctx, ids),
    findPublished(ctx, { accountIds: ids, since }),
    ctx.db
      .select({ id: pinterestAccounts.id, at: pinterestAccounts.connectedAt })
      .from(pinterestAccounts)
      .where(isAnyOf(pinterestAccounts.id, ids)),
    ctx.db
      .select({ id: pins.accountId, count: sql<number>`count(*)::int` })
      .from(pins)
      .where(isPublished)
      .groupBy(pins.accountId),
  ]);
  return (accountId) => {
    const isOwn = (pin: KnownPin): boolean => pin.accountId === accountId && !except.has(pin.id);
    const coming = scheduled.filter(isOwn);
    const times = expectedTimes(coming, now);
    return {
      connectedAt: connected.find(({ id }) => id === accountId)?.at ?? now,
      publishedCount: counts.find(({ id }) => id === accountId)?.count ?? 0,
      pins: [...coming.map((pin, at) => ({ ...pin, at: times[at] ?? pin.at })), ...published.filter(isOwn)],
    };
  };
};

export const hasNewerSchedule = async (
  ctx: Ctx,
  { accountId, batchId, since }: { accountId: AccountId; batchId: BatchId; since: Date },
): Promise<boolean> => {
  const isOther = sql`${pins.batchId} is distinct from ${batchId}`;
  const [found] = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), eq(pins.status, sql`'scheduled'`), gt(pins.chosenAt, since), isOther))
    .limit(1);
  return found !== undefined;
};

/** The account of these pins; null when they belong to several. */
export const findAccountOf = async (ctx: Ctx, pinIds: readonly string[]): Promise<AccountId | null> => {
  const rows = await ctx.db.selectDistinct({ id: pins.accountId }).from(pins).where(isAnyOf(pins.id, pinIds));
  const [only, ...others] = rows;
  return only && others.length === 0 ? (only.id as AccountId) : null;
};

/** Rules left out of a plan, in the usual order. */
export const findOverrides = async (ctx: Ctx, batchId: string): Promise<PlanNoteWire[]> => {
  const rows = await ctx.db
    .select({ rule: planOverrides.rule, reason: planOverrides.reason })
    .from(planOverrides)
    .where(eq(planOverrides.batchId, batchId))
    .orderBy(asc(planOverrides.rule));
  return PACE_RULES.flatMap((rule) => rows.filter((row) => row.rule === rule).map(({ reason }) => ({ rule, reason })));
};
