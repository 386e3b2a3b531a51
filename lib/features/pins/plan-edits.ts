import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { TEXTS } from "./constants.ts";
import { lockPins } from "./lock-pins.ts";
import { isAtRest, planEdit } from "./policy.ts";
import type { Pin } from "./queries.ts";
import type { EditDraftsInput, EditedTexts } from "./schema.ts";

/** What a change makes of one pin, or why it cannot be changed. */
export interface EditPlan {
  pin: Pin;
  after: EditedTexts;
  problem: { code: "wrong_state" | "invalid"; text: string } | null;
}

const planOne = (pin: Pin, change: EditDraftsInput["change"]): EditPlan => {
  const { after, problem } = planEdit(pin, change);
  // It stays as it was sent, to be recognisable on its board.
  if (pin.mayBePublished) return { pin, after, problem: { code: "wrong_state", text: TEXTS.mayBePublished } };
  return { pin, after, problem: problem === null ? null : { code: "invalid", text: problem } };
};

/**
 * Locks pins and works out what a change makes of each; the caller writes it, or shows it. Boards were checked before.
 * @throws AppError `not_found`; `wrong_state` when one is scheduled or published; `invalid` for one board and several
 * accounts.
 */
export const planEdits = async (tx: Ctx, { pinIds, change }: EditDraftsInput): Promise<EditPlan[]> => {
  const locked = await lockPins(tx, { pinIds });
  if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notEditable });
  const accounts = new Set(locked.map(({ accountId }) => accountId));
  if (change.boardId !== undefined && accounts.size > 1) throw new AppError("invalid", { text: TEXTS.accountsDiffer });
  return locked.map((pin) => planOne(pin, change));
};
