import "server-only";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { MutableMail } from "#lib/features/letters/constants.ts";

/**
 * Switches kinds of mail on or off, in one statement: of two at once each keeps what the other did, and one twice is
 * one. Of a deleted user there is nothing to switch. What waits to be told is asked again when its mail is made.
 */
export const changeMutes = async (
  ctx: Ctx,
  { userId, kinds, isOn }: { userId: UserId; kinds: readonly MutableMail[]; isOn: boolean },
): Promise<void> => {
  const without = kinds.reduce<SQL>(
    (list, kind) => sql`array_remove(${list}, ${kind}::text)`,
    sql`${users.mutedMails}`,
  );
  const withAll = kinds.reduce<SQL>((list, kind) => sql`array_append(${list}, ${kind}::text)`, without);
  await ctx.db
    .update(users)
    .set({ mutedMails: isOn ? without : withAll })
    .where(and(eq(users.id, userId), isNull(users.closedAt)));
};
