import "server-only";
import type { Ctx } from "#lib/context.ts";
import { checkBoards } from "./check-boards.ts";
import { requireOwnedPin } from "./queries.ts";
import type { EditDraftsInput } from "./schema.ts";

/**
 * Asks Pinterest whether the board of a change is one of the pins' account. Stands before the transaction of the change.
 * @throws AppError `not_found` when the first pin is not the actor's; `invalid`; `reconnect_needed`.
 */
export const checkChange = async (ctx: Ctx<"pinterest">, { pinIds, change }: EditDraftsInput): Promise<void> => {
  const { boardId } = change;
  if (boardId === undefined) return;
  const { pin } = await requireOwnedPin(ctx, pinIds[0] ?? "");
  await checkBoards(ctx, { accountId: pin.accountId, boardIds: [boardId] });
};
