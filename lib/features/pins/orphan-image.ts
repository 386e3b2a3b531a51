import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";

/** Notes that a picture lost its pin, or never gets one. Belongs into the transaction in which that happens. */
export const orphanImage = async (tx: Ctx, { imageKey }: { imageKey: string }): Promise<void> => {
  await tx.db.insert(orphanedImages).values({ key: imageKey, since: tx.now() }).onConflictDoNothing();
};
