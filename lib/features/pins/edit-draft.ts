import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { TEXTS } from "./constants.ts";
import { AT_REST } from "./policy.ts";
import { toPost } from "./present.ts";
import { requireOwnedPin, toPin } from "./queries.ts";
import type { EditDraftInput, PostWire } from "./schema.ts";

/**
 * Changes texts, link or board of a pin that is at rest. A failed one may be mended as well: a wrong link or a
 * board that is gone is why it failed. One that may be on Pinterest stays as it was sent, to be recognisable there.
 * @throws AppError `not_found`; `wrong_state` once it is scheduled, published, or may be published.
 */
export const editDraft = async (ctx: Ctx<"pinterest">, { pinId, ...changes }: EditDraftInput): Promise<PostWire> => {
  const { pin, username } = await requireOwnedPin(ctx, pinId);
  const [edited] = await ctx.db
    .update(pins)
    .set({ ...changes, updatedAt: ctx.now() })
    .where(and(eq(pins.id, pin.id), inArray(pins.status, AT_REST), eq(pins.mayBePublished, false)))
    .returning();
  if (edited) return toPost(ctx, toPin(edited), username);
  const isUnclear = pin.mayBePublished && AT_REST.some((status) => status === pin.status);
  throw new AppError("wrong_state", { text: isUnclear ? TEXTS.mayBePublished : TEXTS.notEditable });
};
