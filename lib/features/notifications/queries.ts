import "server-only";
import { and, desc, eq, gt, isNotNull, isNull, min, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { users } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { MUTABLE_EMAILS, type MutableEmail } from "#lib/features/email/constants.ts";
import { DIGEST_DELAY_MS, DIGEST_INTERVAL_MS } from "./constants.ts";

/** Longest waiting first. */
export const findDueUsers = async (ctx: Ctx, now: Date, limit: number): Promise<UserId[]> => {
  const mailed = alias(digestEntries, "mailed");
  const hadRecentDigest = ctx.db
    .select({ one: sql`1` })
    .from(mailed)
    .where(and(eq(mailed.userId, digestEntries.userId), gt(mailed.mailedAt, addMs(now, -DIGEST_INTERVAL_MS))));
  const first = min(digestEntries.occurredAt);
  const rows = await ctx.db
    .select({ userId: digestEntries.userId })
    .from(digestEntries)
    .where(and(isNull(digestEntries.mailedAt), notExists(hadRecentDigest)))
    .groupBy(digestEntries.userId)
    .having(sql`${first} <= ${addMs(now, -DIGEST_DELAY_MS).toISOString()}::timestamptz`)
    .orderBy(first)
    .limit(limit);
  return rows.map(({ userId }) => userId);
};

export const findLastEmail = async (ctx: Ctx, userId: UserId): Promise<Date | null> => {
  const [row] = await ctx.db
    .select({ at: digestEntries.mailedAt })
    .from(digestEntries)
    .where(and(eq(digestEntries.userId, userId), isNotNull(digestEntries.mailedAt)))
    .orderBy(desc(digestEntries.mailedAt))
    .limit(1);
  return row?.at ?? null;
};

export const findMutedEmails = async (ctx: Ctx): Promise<MutableEmail[]> => {
  const [row] = await ctx.db
    .select({ muted: users.mutedEmails })
    .from(users)
    .where(eq(users.id, requireUserId(ctx)));
  if (!row) throw new AppError("unauthenticated");
  return MUTABLE_EMAILS.filter((kind) => row.muted.includes(kind));
};
