import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { listBoards } from "#lib/features/accounts/list-boards.ts";
import { TEXTS } from "./constants.ts";
import { partName } from "./schema.ts";

interface CheckedBoards {
  accountId: string;
  boardIds: readonly string[];
  /** Each board is that of one row of a form. */
  isOfRows?: boolean;
}

/** Boards of the account, or null while Pinterest does not tell them. */
const readBoards = async (ctx: Ctx<"pinterest">, accountId: string): Promise<Set<string> | null> => {
  try {
    return new Set((await listBoards(ctx, { accountId })).map(({ id }) => id));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "provider_unavailable" && error.code !== "provider_failed") throw error;
    ctx.log.set({ boards_unread: error.code });
    return null;
  }
};

/** Sentences about rows of a form name them as the form does: from 1. */
const faultOf = (at: number, isOfRow: boolean) =>
  isOfRow
    ? { text: `Pin ${at + 1}: ${TEXTS.boardForeign}`, field: partName(at) }
    : { text: TEXTS.boardForeign, field: "boardId" };

/**
 * Sees to it that drafts are for boards of the account (R-BULK-04). While Pinterest does not answer they are taken as
 * they are: a board may be gone by the time of publishing anyhow, and that is where it counts.
 * @throws AppError `invalid` when a board is another's, naming the row if they are of rows; `reconnect_needed`.
 */
export const checkBoards = async (
  ctx: Ctx<"pinterest">,
  { accountId, boardIds, isOfRows = false }: CheckedBoards,
): Promise<void> => {
  const boards = await readBoards(ctx, accountId);
  const wrong = boards ? boardIds.findIndex((id) => !boards.has(id)) : -1;
  if (wrong < 0) return;
  const { text, field } = faultOf(wrong, isOfRows);
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};
