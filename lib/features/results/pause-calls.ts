import "server-only";
import { and, eq, isNull, lt, or } from "drizzle-orm";
import { resultGathers } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { findCounter } from "./find-counter.ts";

/** Makes no call for an account's figures for a while, as Pinterest asked; a longer pause that stands is kept. */
export const pauseCalls = async (
  ctx: Ctx,
  { accountId, forMs }: { accountId: AccountId; forMs: number },
): Promise<void> => {
  const { pausedUntil } = resultGathers;
  const until = addMs(await databaseTime(ctx), forMs);
  await ctx.db
    .update(resultGathers)
    .set({ pausedUntil: until })
    .where(
      and(
        eq(resultGathers.accountId, await findCounter(ctx, accountId)),
        or(isNull(pausedUntil), lt(pausedUntil, until)),
      ),
    );
};
