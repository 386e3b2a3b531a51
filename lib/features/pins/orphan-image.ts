import "server-only";
import { sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";

/**
 * Notes that a picture lost a pin, or never gets one; other pins may have it still. Belongs into the transaction in
 * which that happens. Its time counts from the last one that it lost.
 */
export const orphanImage = async (tx: Ctx, { imageKey }: { imageKey: string }): Promise<void> => {
  await tx.db
    .insert(orphanedImages)
    .values({ key: imageKey, since: tx.now() })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};
