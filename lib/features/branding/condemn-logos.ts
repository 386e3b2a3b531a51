import "server-only";
import { and, eq, isNotNull } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { brandKits } from "#db/schema/branding.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { condemnImages } from "#lib/features/pins/condemn-images.ts";

/** Deletes a user's brand kits and has their logos removed with the next sweep. Runs again without harm. */
export const condemnLogos = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const rows = await tx.db
      .select({ accountId: brandKits.accountId, key: brandKits.logoKey })
      .from(brandKits)
      .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, brandKits.accountId))
      .where(and(eq(pinterestAccounts.userId, userId), isNotNull(brandKits.logoKey)));
    for (const { accountId } of rows) await tx.db.delete(brandKits).where(eq(brandKits.accountId, accountId));
    await condemnImages(tx, { imageKeys: rows.flatMap(({ key }) => key ?? []) });
  });
