import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { checkChange } from "./check-change.ts";
import { planEdits } from "./plan-edits.ts";
import { toPlannedEdit } from "./present.ts";
import type { EditDraftsInput, PlannedEdit } from "./schema.ts";

/**
 * Tells what a change of several pins would do to each, and to which it cannot be done. Changes nothing.
 * @throws AppError as `editDrafts` does, but not for what stands in a `problem`.
 */
export const previewEdits = async (
  ctx: Ctx<"pinterest">,
  input: EditDraftsInput,
): Promise<{ edits: PlannedEdit[] }> => {
  await checkChange(ctx, input);
  const plans = await inTransaction(ctx, (tx) => planEdits(tx, input));
  return { edits: plans.map(toPlannedEdit) };
};
