import "server-only";
import { and, eq, max, type SQL, sql } from "drizzle-orm";
import { apiKeySpending, apiKeys } from "#db/schema/api-keys.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { ApiKeyId } from "#lib/core/ids.ts";
import { dailyLimitText } from "./constants.ts";

/** A UTC day of the database's clock. */
const today = sql<string>`(now() at time zone 'UTC')::date`;

interface DailyLimit {
  /** Null: no limit of its own. */
  limit: number | null;
  spent: number;
}

/** What the acting key may spend today, and has spent; null for other actors. */
export const readDailyLimit = async (ctx: Ctx): Promise<DailyLimit | null> => {
  if (ctx.actor.kind !== "key") return null;
  const [row] = await ctx.db
    .select({ limit: apiKeys.dailyCredits, spent: sql<number>`coalesce(${apiKeySpending.credits}, 0)` })
    .from(apiKeys)
    .leftJoin(apiKeySpending, and(eq(apiKeySpending.keyId, apiKeys.id), eq(apiKeySpending.day, today)))
    .where(eq(apiKeys.id, ctx.actor.keyId));
  return row ?? null;
};

/**
 * Counts credits against the daily limit of the acting key, in the transaction that reserves them; nothing for other
 * actors. @throws AppError `key_limit`, which undoes the reservation; `invalid_key` when it was revoked meanwhile
 */
export const countSpending = async (tx: Ctx, credits: number): Promise<void> => {
  if (tx.actor.kind !== "key" || credits === 0) return;
  const { keyId } = tx.actor;
  // Held until the commit: an app that is approved again replaces this key, and carries on what it had spent.
  const [key] = await tx.db
    .select({ revokedAt: apiKeys.revokedAt })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
    .for("share");
  if (!key || key.revokedAt) throw new AppError("invalid_key");
  const isWithin = sql`${apiKeySpending.credits} + ${credits} <= coalesce((select daily_credits from api_keys where id = ${keyId}), 2147483647)`;
  await tx.db.insert(apiKeySpending).values({ keyId, day: today, credits: 0 }).onConflictDoNothing();
  const counted = await tx.db
    .update(apiKeySpending)
    .set({ credits: sql`${apiKeySpending.credits} + ${credits}` })
    .where(and(eq(apiKeySpending.keyId, keyId), eq(apiKeySpending.day, today), isWithin))
    .returning({ credits: apiKeySpending.credits });
  if (counted.length > 0) return;
  const { limit, spent } = (await readDailyLimit(tx)) ?? { limit: 0, spent: 0 };
  throw new AppError("key_limit", { text: dailyLimitText(limit ?? 0, Math.max(0, (limit ?? 0) - spent)) });
};

/** What earlier grants of an app spent today counts for the one that replaces them; each carried on the one before it. */
export const carrySpending = async (tx: Ctx, earlier: SQL | undefined, keyId: ApiKeyId): Promise<void> => {
  const [found] = await tx.db
    .select({ credits: max(apiKeySpending.credits) })
    .from(apiKeySpending)
    .innerJoin(apiKeys, eq(apiKeys.id, apiKeySpending.keyId))
    .where(and(earlier, eq(apiKeySpending.day, today)));
  if (found?.credits) await tx.db.insert(apiKeySpending).values({ keyId, day: today, credits: found.credits });
};
