import "server-only";
import { and, desc, eq, gt, isNull } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { UNKNOWN_DEVICE } from "./constants.ts";

/** A login that lives, for its owner. Times are to about a quarter of an hour; no network address is kept. */
export interface ListedLogin {
  id: string;
  device: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The one that asks. */
  isCurrent: boolean;
}

/** The actor's living logins: the present one first, then by their last use. */
export const listLogins = async (ctx: Ctx): Promise<ListedLogin[]> => {
  const current = ctx.actor.kind === "user" ? ctx.actor.loginId : null;
  const rows = await ctx.db
    .select()
    .from(logins)
    .where(and(eq(logins.userId, requireUserId(ctx)), isNull(logins.revokedAt), gt(logins.expiresAt, ctx.now())))
    .orderBy(desc(logins.lastUsedAt), desc(logins.createdAt));
  return rows
    .map(({ id, device, createdAt, lastUsedAt }) => ({
      id,
      device: device || UNKNOWN_DEVICE,
      createdAt,
      lastUsedAt: lastUsedAt ?? createdAt,
      isCurrent: id === current,
    }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
};
