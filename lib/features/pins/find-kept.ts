import "server-only";
import { inArray } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { nameKept } from "./name-kept.ts";
import type { FindKeptInput } from "./schema.ts";

/**
 * Which of these files of the actor's need not be sent again, by their digests: their pictures are kept (R-BULK-08).
 * A row is there before its picture: only what the storage has counts.
 */
export const findKept = async (ctx: Ctx<"storage">, { digests }: FindKeptInput): Promise<string[]> => {
  const names = new Map(
    digests.flatMap((digest) => [false, true].map((isFirstFrame) => [nameKept(ctx, digest, isFirstFrame), digest])),
  );
  const noted = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(inArray(orphanedImages.key, [...names.keys()]));
  const found = await Promise.all(
    noted.map(async ({ key }) => ((await ctx.storage.has(key)) ? names.get(key) : undefined)),
  );
  return digests.filter((digest) => found.includes(digest));
};
