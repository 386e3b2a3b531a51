import "server-only";
import { and, desc, eq, gt, isNotNull, isNull, min, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { users } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { MUTABLE_MAILS, type MutableMail } from "#lib/features/email/constants.ts";
import { GATHER_MS, MAIL_GAP_MS } from "./constants.ts";

/** Users with something that waited long enough and no mail in the last hour, the longest waiting first. */
export const findDueUsers = async (ctx: Ctx, now: Date, limit: number): Promise<UserId[]> => {
  const mailed = alias(digestEntries, "mailed");
  const wasToldLately = ctx.db
    .select({ one: sql`1` })
    .from(mailed)
    .where(and(eq(mailed.userId, digestEntries.userId), gt(mailed.mailedAt, addMs(now, -MAIL_GAP_MS))));
  const first = min(digestEntries.occurredAt);
  const rows = await ctx.db
    .select({ userId: digestEntries.userId })
    .from(digestEntries)
    .where(and(isNull(digestEntries.mailedAt), notExists(wasToldLately)))
    .groupBy(digestEntries.userId)
    .having(sql`${first} <= ${addMs(now, -GATHER_MS).toISOString()}::timestamptz`)
    .orderBy(first)
    .limit(limit);
  // Rows of this table hold the ids of users.
  return rows.map(({ userId }) => userId);
};

/** When a user was last told by such a mail, as far as that is kept. */
export const findLastMail = async (ctx: Ctx, userId: UserId): Promise<Date | null> => {
  const [row] = await ctx.db
    .select({ at: digestEntries.mailedAt })
    .from(digestEntries)
    .where(and(eq(digestEntries.userId, userId), isNotNull(digestEntries.mailedAt)))
    .orderBy(desc(digestEntries.mailedAt))
    .limit(1);
  return row?.at ?? null;
};

/** The kinds of mail that the actor switched off. */
export const findMutedMails = async (ctx: Ctx): Promise<MutableMail[]> => {
  const [row] = await ctx.db
    .select({ muted: users.mutedMails })
    .from(users)
    .where(eq(users.id, requireUserId(ctx)));
  if (!row) throw new AppError("unauthenticated");
  return MUTABLE_MAILS.filter((kind) => row.muted.includes(kind));
};
