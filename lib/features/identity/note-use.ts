import "server-only";
import { and, eq, isNull, lt, or } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { USE_NOTED_MS } from "./constants.ts";
import type { SessionUser } from "./queries.ts";

/** Notes that a login is used, at most once in a quarter of an hour: most requests write nothing. */
export const noteUse = async (ctx: Ctx, { loginId, lastUsedAt }: SessionUser): Promise<void> => {
  const now = ctx.now();
  const before = addMs(now, -USE_NOTED_MS);
  if (lastUsedAt && lastUsedAt > before) return;
  await ctx.db
    .update(logins)
    .set({ lastUsedAt: now })
    .where(and(eq(logins.id, loginId), or(isNull(logins.lastUsedAt), lt(logins.lastUsedAt, before))));
};
