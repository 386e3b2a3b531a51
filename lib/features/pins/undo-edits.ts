import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { checkBoards } from "./check-boards.ts";
import { TEXTS } from "./constants.ts";
import { lockPins } from "./lock-pins.ts";
import { isAtRest } from "./policy.ts";
import { type Pin, requireOwnedPin } from "./queries.ts";
import type { UndoEditsInput } from "./schema.ts";
import { writeEdits } from "./write-edits.ts";

/** The account whose boards these edits name, once Pinterest has said that they are its own; null when they name none. */
const requireBoards = async (ctx: Ctx<"pinterest">, edits: UndoEditsInput["edits"]): Promise<string | null> => {
  const moved = edits.flatMap(({ pinId, boardId }) => (boardId === undefined ? [] : [{ pinId, boardId }]));
  const [first] = moved;
  if (!first) return null;
  const { pin } = await requireOwnedPin(ctx, first.pinId);
  await checkBoards(ctx, { accountId: pin.accountId, boardIds: [...new Set(moved.map(({ boardId }) => boardId))] });
  return pin.accountId;
};

/**
 * Takes a change of several pins back, in all of them or none. What it says of the earlier texts comes from outside, and
 * is checked as a change is.
 * @throws AppError `not_found`; `wrong_state` when one was changed, scheduled or published since; `invalid` for a board
 * that is not one of the account's; `reconnect_needed`.
 */
export const undoEdits = async (ctx: Ctx<"jobs" | "pinterest">, { editedAt, edits }: UndoEditsInput): Promise<void> => {
  const boardsOf = await requireBoards(ctx, edits);
  const links = await inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds: edits.map(({ pinId }) => pinId) });
    const wroteAt = Date.parse(editedAt);
    const isUntouched = (pin: Pin) => isAtRest(pin) && !pin.mayBePublished && pin.updatedAt.getTime() === wroteAt;
    if (!locked.every(isUntouched)) throw new AppError("wrong_state", { text: TEXTS.changedSince });
    const earlier = new Map<string, Omit<UndoEditsInput["edits"][number], "pinId">>(
      edits.map(({ pinId, ...texts }) => [pinId, texts]),
    );
    const isElsewhere = ({ id, accountId }: Pin) => earlier.get(id)?.boardId !== undefined && accountId !== boardsOf;
    if (locked.some(isElsewhere)) throw new AppError("invalid", { text: TEXTS.accountsDiffer });
    const restored = locked.map(({ id, boardId, link, description }) => {
      return { pinId: id, boardId, link, description, ...earlier.get(id) };
    });
    await writeEdits(tx, restored);
    return restored.map(({ link }) => link);
  });
  await announceChecks(ctx, { links });
};
