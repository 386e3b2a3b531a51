import "server-only";
import { and, eq, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { toIso } from "#lib/core/time.ts";
import { announceChecks, requestChecks } from "#lib/features/links/checks.ts";
import { TEXTS } from "./constants.ts";
import { checkBoards, checkChange, lockPins } from "./guards.ts";
import { AT_REST, isAtRest, planEdit } from "./policy.ts";
import { findPostsById, type Pin, requireOwnedPin } from "./queries.ts";
import type {
  EditDraftInput,
  EditDraftsInput,
  EditedTexts,
  PinIdInput,
  PlannedEdit,
  PostWire,
  UndoEditsInput,
} from "./schema.ts";
import { toPlannedEdit, toPost } from "./serializers.ts";

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

/**
 * Gives each of these pins its own texts, in one statement, and asks for checks of their links. What was said of a pin in
 * a review was said of the one before (D9): it counts no more. The caller holds their
 * locks, has checked their states, and announces the checks.
 */
const writeEdits = async (tx: Ctx, edits: readonly (EditedTexts & { pinId: string })[]): Promise<void> => {
  const rows = edits.map(({ pinId, boardId, link, description }) => ({ id: pinId, board: boardId, link, description }));
  await tx.db.execute(sql`
    update ${pins} set board_id = edit.board, link = edit.link, description = edit.description,
      review = null, reviewed_at = null,
      updated_at = ${tx.now().toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as edit(id text, board text, link text, description text)
    where ${pins.id} = edit.id`);
  await requestChecks(tx, { links: edits.map(({ link }) => link) });
  tx.log.set({ pins_touched: edits.length });
};

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
const planEdits = async (tx: Ctx, { pinIds, change }: EditDraftsInput): Promise<EditPlan[]> => {
  const locked = await lockPins(tx, { pinIds });
  if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notEditable });
  const accounts = new Set(locked.map(({ accountId }) => accountId));
  if (change.boardId !== undefined && accounts.size > 1) throw new AppError("invalid", { text: TEXTS.accountsDiffer });
  return locked.map((pin) => planOne(pin, change));
};

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

/**
 * Has the link of a pin looked at again, for an owner who mended the page (R-SRV-08). What was found less than
 * `AGAIN_MS` ago stands, and a look that is under way is the one asked for; either way the answer is the pin as it is.
 * @throws AppError `not_found`; `wrong_state` without a link and once it is published.
 */
export const recheckLink = async (ctx: Ctx<"pinterest" | "jobs">, { pinId }: PinIdInput): Promise<PostWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  if (pin.link === null) throw new AppError("wrong_state", { text: TEXTS.noLink });
  if (pin.status === "published") throw new AppError("wrong_state", { text: TEXTS.notCheckable });
  const links = [pin.link];
  await inTransaction(ctx, (tx) => requestChecks(tx, { links, isAgain: true }));
  await announceChecks(ctx, { links });
  const [post] = await findPostsById(ctx, [pin.id]);
  if (!post) throw new AppError("not_found");
  return toPost(ctx, post, account);
};
