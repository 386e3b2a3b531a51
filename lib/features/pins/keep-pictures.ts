import "server-only";
import { and, desc, eq, like, lte, sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { KEPT_MAX } from "./constants.ts";
import { nameKept } from "./name-kept.ts";
import { nameKeptFolder } from "./name-kept-folder.ts";

/** A file by its digest, and how its prepared picture is read when its turn comes; null when it has none. */
interface Keepable {
  sha256: string;
  read: () => Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | null>;
}

/** Notes a picture as an orphan that goes earlier than others. */
const note = async (ctx: Ctx, key: string): Promise<void> => {
  const since = addMs(ctx.now(), RETENTION_MS.keptImage - RETENTION_MS.orphanedImage);
  await ctx.db
    .insert(orphanedImages)
    .values({ key, since })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};

/** Deletes the oldest of too many. The note goes last, and stays when the picture was kept again meanwhile. */
const dropSurplus = async (ctx: Ctx<"storage">): Promise<void> => {
  const surplus = await ctx.db
    .select()
    .from(orphanedImages)
    .where(like(orphanedImages.key, `${nameKeptFolder(ctx, requireUserId(ctx))}/%`))
    .orderBy(desc(orphanedImages.since), orphanedImages.key)
    .offset(KEPT_MAX);
  for (const { key, since } of surplus) {
    await ctx.storage.delete(key);
    await ctx.db.delete(orphanedImages).where(and(eq(orphanedImages.key, key), lte(orphanedImages.since, since)));
  }
};

/**
 * Keeps prepared pictures of a set that came to nothing, so that they need not be sent again: the actor's last
 * `KEPT_MAX`, for a day. Orphans from the beginning: they go with the others (DESIGN §5.6).
 */
export const keepPictures = async (
  ctx: Ctx<"storage">,
  { pictures }: { pictures: readonly Keepable[] },
): Promise<void> => {
  const once = new Map(pictures.map(({ sha256: file, read }) => [file, read]));
  for (const [file, read] of once) {
    const picture = await read();
    if (!picture) continue;
    const key = nameKept(ctx, file, picture.isFirstFrame);
    await note(ctx, key);
    await ctx.storage.put(key, picture.jpeg);
  }
  await dropSurplus(ctx);
};
