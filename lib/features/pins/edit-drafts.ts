import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { toIso } from "#lib/core/time.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { checkChange } from "./check-change.ts";
import { type EditPlan, planEdits } from "./plan-edits.ts";
import type { EditDraftsInput, UndoEditsInput } from "./schema.ts";
import { writeEdits } from "./write-edits.ts";

const hasChange = ({ pin, after }: EditPlan): boolean =>
  pin.boardId !== after.boardId || pin.link !== after.link || pin.description !== after.description;

/** What a pin had, as far as it is about to be changed. */
const earlierOf = ({ pin, after }: EditPlan): UndoEditsInput["edits"][number] => ({
  pinId: pin.id,
  ...(pin.boardId !== after.boardId && { boardId: pin.boardId }),
  ...(pin.link !== after.link && { link: pin.link }),
  ...(pin.description !== after.description && { description: pin.description }),
});

/**
 * Changes board, link or the end of the description of several pins at rest, all of them or none. @returns how many
 * changed, and what `undoEdits` takes to change them back; null when nothing was to be changed.
 * @throws AppError `not_found`; `wrong_state` when one is scheduled, published, or may be published; `invalid` when a
 * text would become too long, or for a board that is not one of the account's. The sentence names the pin.
 */
export const editDrafts = async (
  ctx: Ctx<"jobs" | "pinterest">,
  input: EditDraftsInput,
): Promise<{ edited: number; undo: UndoEditsInput | null }> => {
  await checkChange(ctx, input);
  const changed = await inTransaction(ctx, async (tx) => {
    const plans = await planEdits(tx, input);
    for (const { pin, problem } of plans) {
      if (problem) throw new AppError(problem.code, { text: `${pin.title}: ${problem.text}` });
    }
    const touched = plans.filter(hasChange);
    if (touched.length === 0) return null;
    await writeEdits(
      tx,
      touched.map(({ pin, after }) => ({ pinId: pin.id, ...after })),
    );
    return { plans: touched, at: tx.now() };
  });
  if (!changed) return { edited: 0, undo: null };
  await announceChecks(ctx, { links: changed.plans.map(({ after }) => after.link) });
  return {
    edited: changed.plans.length,
    undo: { editedAt: toIso(changed.at), edits: changed.plans.map(earlierOf) },
  };
};
