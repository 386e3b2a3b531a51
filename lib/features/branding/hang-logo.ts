import "server-only";
import { eq } from "drizzle-orm";
import { brandKits } from "#db/schema/branding.ts";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { lockAccount } from "#lib/features/pins/lock-account.ts";
import { orphanImage } from "#lib/features/pins/orphan-image.ts";
import { FIRST_KIT } from "./queries.ts";

/** Gives an account's kit another logo, or none; the one before becomes an orphan. Belongs into a transaction. */
export const hangLogo = async (tx: Ctx, accountId: OwnedAccountId, logoKey: string | null): Promise<void> => {
  await lockAccount(tx, accountId);
  const { colours, fontPairing } = FIRST_KIT;
  // The row is there from now on, so that two at once wait for each other.
  await tx.db.insert(brandKits).values({ accountId, colours, fontPairing, updatedAt: tx.now() }).onConflictDoNothing();
  const ofAccount = eq(brandKits.accountId, accountId);
  const [before] = await tx.db.select({ key: brandKits.logoKey }).from(brandKits).where(ofAccount).for("update");
  await tx.db.update(brandKits).set({ logoKey, updatedAt: tx.now() }).where(ofAccount);
  if (before?.key) await orphanImage(tx, { imageKey: before.key });
  if (logoKey !== null) await tx.db.delete(orphanedImages).where(eq(orphanedImages.key, logoKey));
};
