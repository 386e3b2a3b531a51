import "server-only";
import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { orphanImage } from "#lib/features/pins/orphan-image.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import type { PictureDescription } from "#lib/integrations/pictures/port.ts";
import { lockTemplated } from "./lock-templated.ts";
import { looksAnew } from "./looks-anew.ts";
import { readStored } from "./read-stored.ts";
import type { RemoveTemplateInput } from "./schema.ts";

interface Bared {
  pin: Pin;
  baseImageKey: string;
  looks: PictureDescription;
}

const bare = async (tx: Ctx, { pin, baseImageKey, looks }: Bared): Promise<void> => {
  const changes = { imageKey: baseImageKey, baseImageKey: null, template: null, ...looksAnew(looks) };
  await tx.db
    .update(pins)
    .set({ ...changes, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  await orphanImage(tx, pin);
};

/**
 * Takes the templates off pictures, all or none; a picture without one stays as it is.
 * @throws AppError `not_found`; `wrong_state` when a pin is not at rest, or changed meanwhile.
 */
export const removeTemplate = async (
  ctx: Ctx<"pictures" | "storage">,
  { pinIds }: RemoveTemplateInput,
): Promise<void> => {
  const seen = await inTransaction(ctx, (tx) => lockTemplated(tx, { pinIds }));
  const bared: Bared[] = [];
  for (const pin of seen) {
    const { baseImageKey } = pin;
    if (baseImageKey === null) continue;
    bared.push({ pin, baseImageKey, looks: await ctx.pictures.describePicture(await readStored(ctx, baseImageKey)) });
  }
  await inTransaction(ctx, async (tx) => {
    await lockTemplated(tx, { pinIds, seen });
    for (const one of bared) await bare(tx, one);
  });
  ctx.log.set({ pins_touched: bared.length });
};
