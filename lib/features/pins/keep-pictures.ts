import "server-only";
import { sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { nameKept } from "./name-kept.ts";

/**
 * Keeps prepared pictures of a set that is refused because of other ones, so that they need not be sent again. Orphans
 * from the beginning: they go with the others (DESIGN §5.6), and those that were kept again a while later.
 */
export const keepPictures = async (
  ctx: Ctx<"storage">,
  { pictures }: { pictures: readonly { sha256: string; imageKey: string }[] },
): Promise<void> => {
  const copies = new Map(pictures.map(({ sha256: file, imageKey }) => [nameKept(ctx, file), imageKey]));
  if (copies.size === 0) return;
  const since = ctx.now();
  await ctx.db
    .insert(orphanedImages)
    .values([...copies.keys()].toSorted().map((key) => ({ key, since })))
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
  for (const [key, imageKey] of copies) {
    const bytes = await ctx.storage.get(imageKey);
    if (bytes) await ctx.storage.put(key, bytes);
  }
};
