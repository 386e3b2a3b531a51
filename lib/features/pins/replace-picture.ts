import "server-only";
import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { orphanImage } from "./orphan-image.ts";
import type { Pin } from "./queries.ts";
import { type Showing, showing } from "./schema.ts";

/**
 * Gives a pin that the caller has locked another picture, and notes that it lost the old one, which stays for a while.
 * @returns what it showed before.
 */
export const replacePicture = async (tx: Ctx, { pin, next }: { pin: Pin; next: Showing }): Promise<Showing> => {
  const before = showing.parse(pin);
  const kept = [next.imageKey, next.baseImageKey];
  for (const imageKey of [before.imageKey, before.baseImageKey]) {
    if (imageKey !== null && !kept.includes(imageKey)) await orphanImage(tx, { imageKey });
  }
  await tx.db
    .update(pins)
    .set({ ...next, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  return before;
};
