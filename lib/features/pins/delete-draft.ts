import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { TEXTS } from "./constants.ts";
import { orphanImage } from "./orphan-image.ts";
import { AT_REST } from "./policy.ts";
import { requireOwnedPin } from "./queries.ts";
import type { PinIdInput } from "./schema.ts";

/**
 * Deletes a draft or a failed pin with its receipt. What is on Pinterest already stays there.
 * @throws AppError `not_found`; `wrong_state` while it is scheduled or once it is published.
 */
export const deleteDraft = async (ctx: Ctx, { pinId }: PinIdInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  await inTransaction(ctx, async (tx) => {
    const [gone] = await tx.db
      .delete(pins)
      .where(and(eq(pins.id, pin.id), inArray(pins.status, AT_REST)))
      .returning({ imageKey: pins.imageKey });
    if (!gone) throw new AppError("wrong_state", { text: TEXTS.notDeletable });
    await orphanImage(tx, gone);
  });
};
