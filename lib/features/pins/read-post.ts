import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toAttempt, toPost } from "./present.ts";
import { findAttempts, requireOwnedPin } from "./queries.ts";
import type { PinIdInput, ReceiptWire } from "./schema.ts";

/** A pin of the actor with its receipt (DESIGN §5.5). @throws AppError `not_found`. */
export const readPost = async (ctx: Ctx<"pinterest">, { pinId }: PinIdInput): Promise<ReceiptWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  const attempts = await findAttempts(ctx, pin.id);
  return { post: toPost(ctx, pin, account), attempts: attempts.map((attempt) => toAttempt(ctx, attempt)) };
};
