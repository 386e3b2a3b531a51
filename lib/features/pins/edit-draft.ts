import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { requestChecks } from "#lib/features/links/request-checks.ts";
import { checkBoards } from "./check-boards.ts";
import { TEXTS } from "./constants.ts";
import { AT_REST, isAtRest } from "./policy.ts";
import { toPost } from "./present.ts";
import { findPostsById, requireOwnedPin } from "./queries.ts";
import type { EditDraftInput, PostWire } from "./schema.ts";

/** Writes the changes if the pin is still at rest, and asks for a check of its link. @returns whether it was. */
const writeChanges = (ctx: Ctx, pinId: PinId, changes: Omit<EditDraftInput, "pinId">): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    const [edited] = await tx.db
      .update(pins)
      .set({ ...changes, updatedAt: tx.now() })
      .where(and(eq(pins.id, pinId), inArray(pins.status, AT_REST), eq(pins.mayBePublished, false)))
      .returning({ link: pins.link });
    if (edited) await requestChecks(tx, { links: [edited.link] });
    return edited !== undefined;
  });

/**
 * Changes texts, link or board of a pin that is at rest. A failed one may be mended as well: a wrong link or a
 * board that is gone is why it failed. What was said of it in a review stays: its owner wrote this with the pin, by
 * itself, before them (D9). One that may be on Pinterest stays as it was sent, to be recognisable there.
 * @throws AppError `not_found`; `wrong_state` once it is scheduled, published, or may be published;
 * `invalid` for a board that is not one of the account's.
 */
export const editDraft = async (
  ctx: Ctx<"pinterest" | "jobs">,
  { pinId, ...changes }: EditDraftInput,
): Promise<PostWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  const { boardId } = changes;
  if (boardId !== undefined && boardId !== pin.boardId) {
    await checkBoards(ctx, { accountId: pin.accountId, boardIds: [boardId] });
  }
  if (await writeChanges(ctx, pin.id, changes)) {
    const [edited] = await findPostsById(ctx, [pin.id]);
    if (!edited) throw new AppError("not_found");
    await announceChecks(ctx, { links: [edited.link] });
    return toPost(ctx, edited, account);
  }
  const isUnclear = pin.mayBePublished && isAtRest(pin);
  throw new AppError("wrong_state", { text: isUnclear ? TEXTS.mayBePublished : TEXTS.notEditable });
};
