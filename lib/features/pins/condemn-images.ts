import "server-only";
import { sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Notes that pictures are to go from the storage at once, not after the usual while. Belongs into a transaction. */
export const condemnImages = async (tx: Ctx, { imageKeys }: { imageKeys: readonly string[] }): Promise<void> => {
  if (imageKeys.length === 0) return;
  const since = addMs(tx.now(), -RETENTION_MS.orphanedImage);
  await tx.db
    .insert(orphanedImages)
    .values([...new Set(imageKeys)].toSorted().map((key) => ({ key, since })))
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};
