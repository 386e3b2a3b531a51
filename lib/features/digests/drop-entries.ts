import "server-only";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { digestEntries } from "#db/schema/digests.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { DigestKind } from "#lib/features/letters/constants.ts";

/** Takes back what nobody was told yet and is mended: an account connected again, a failed pin retried or deleted. */
export const dropEntries = async (
  tx: Ctx,
  { userIds, kind, about }: { userIds: readonly UserId[]; kind: DigestKind; about: readonly string[] },
): Promise<void> => {
  if (userIds.length === 0 || about.length === 0) return;
  await tx.db
    .delete(digestEntries)
    .where(
      and(
        inArray(digestEntries.userId, [...userIds]),
        eq(digestEntries.kind, kind),
        inArray(sql`split_part(${digestEntries.cause}, ':', 1)`, [...about]),
        isNull(digestEntries.mailedAt),
      ),
    );
};
