import "server-only";
import { and, eq, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { toIso } from "#lib/core/time.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { TEXTS } from "./constants.ts";
import { checkChange, checkPlaces, lockPins } from "./guards.ts";
import { AT_REST, isAtRest, placeIn, planEdit } from "./policy.ts";
import { findPinsById, findSlides, type Pin, requireOwnedPin } from "./queries.ts";
import type {
  EditableFields,
  EditDraftInput,
  EditDraftsInput,
  PinIdInput,
  PinWire,
  PlannedEdit,
  UndoEditsInput,
} from "./schema.ts";
import { toPinWire, toPlannedEdit } from "./serializers.ts";

type Changes = Omit<EditDraftInput, "pinId">;

/** What a client with a key changed, the user hasn't seen; their review no longer applies. */
const reviewAfter = ({ actor }: Ctx, changes: Changes) => {
  const { title, description, link, altText, boardId, boardSectionId } = changes;
  const differences = Object.entries({ title, description, link, altText, boardId, boardSectionId }).flatMap(
    ([name, value]) => (value === undefined ? [] : sql`${pins[name as keyof Changes]} is distinct from ${value}::text`),
  );
  if (actor.kind !== "key" || differences.length === 0) return {};
  const isChanged = sql.join(differences, sql` or `);
  return {
    review: sql`case when ${isChanged} then null else ${pins.review} end`,
    reviewedAt: sql`case when ${isChanged} then null else ${pins.reviewedAt} end`,
  };
};

const writeChanges = (ctx: Ctx, pinId: PinId, changes: Changes): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    const [edited] = await tx.db
      .update(pins)
      .set({ ...changes, ...reviewAfter(ctx, changes), updatedAt: tx.now() })
      .where(and(eq(pins.id, pinId), inArray(pins.status, AT_REST), eq(pins.mayBePublished, false)))
      .returning({ link: pins.link });
    if (edited) await requestChecks(tx, { links: [edited.link] });
    return edited !== undefined;
  });

/**
 * Edits a draft or failed pin; its review stays unless a client with a key changes something. A pin that may be on
 * Pinterest must stay recognizable to board checks.
 * @throws AppError `not_found`, `wrong_state`, or `invalid` for a board of another account
 */
export const editDraft = async (
  ctx: Ctx<"pinterest" | "jobs">,
  { pinId, boardId, boardSectionId, ...texts }: EditDraftInput,
): Promise<PinWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  const place = placeIn({ boardId, boardSectionId });
  const isMoved = place && (place.boardId !== pin.boardId || place.boardSectionId !== pin.boardSectionId);
  if (isMoved) await checkPlaces(ctx, { accountId: pin.accountId, places: [place] });
  if (await writeChanges(ctx, pin.id, { ...texts, ...place })) {
    const [edited] = await findPinsById(ctx, [pin.id]);
    if (!edited) throw new AppError("not_found");
    await sendCheckEvents(ctx, { links: [edited.link] });
    return toPinWire(ctx, edited, account);
  }
  const isUnknown = pin.mayBePublished && isAtRest(pin);
  throw new AppError("wrong_state", { text: isUnknown ? TEXTS.mayBePublished : TEXTS.notEditable });
};

const isMoved = ({ pin, after }: Pick<EditPlan, "pin" | "after">): boolean =>
  pin.boardId !== after.boardId || pin.boardSectionId !== after.boardSectionId;

const hasChange = ({ pin, after }: EditPlan): boolean =>
  isMoved({ pin, after }) ||
  pin.link !== after.link ||
  pin.description !== after.description ||
  pin.altText !== after.altText;

const previousValues = ({ pin, after }: EditPlan): UndoEditsInput["edits"][number] => ({
  pinId: pin.id,
  ...(isMoved({ pin, after }) && { boardId: pin.boardId, boardSectionId: pin.boardSectionId }),
  ...(pin.link !== after.link && { link: pin.link }),
  ...(pin.description !== after.description && { description: pin.description }),
  ...(pin.altText !== after.altText && { altText: pin.altText }),
});

/**
 * All or none. @returns the input of `undoEdits`; null when nothing changed.
 * @throws AppError `not_found`, `wrong_state` or `invalid`, with a text that names the pin
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
  await sendCheckEvents(ctx, { links: changed.plans.map(({ after }) => after.link) });
  return {
    edited: changed.plans.length,
    undo: { editedAt: toIso(changed.at), edits: changed.plans.map(previousValues) },
  };
};

/** Saves edits in one statement and clears reviews. The caller holds the locks and sends the link check events. */
const writeEdits = async (tx: Ctx, edits: readonly (EditableFields & { pinId: string })[]): Promise<void> => {
  const rows = edits.map(({ pinId, boardId, boardSectionId, link, description, altText }) => {
    return { id: pinId, board: boardId, section: boardSectionId, link, description, alt_text: altText };
  });
  await tx.db.execute(sql`
    update ${pins} set board_id = edit.board, board_section_id = edit.section,
      link = edit.link, description = edit.description, alt_text = edit.alt_text,
      review = null, reviewed_at = null,
      updated_at = ${tx.now().toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as edit(id text, board text, section text, link text, description text, alt_text text)
    where ${pins.id} = edit.id`);
  await requestChecks(tx, { links: edits.map(({ link }) => link) });
  tx.log.set({ pins_touched: edits.length });
};

export interface EditPlan {
  pin: Pin;
  after: EditableFields;
  problem: { code: "wrong_state" | "invalid"; text: string } | null;
}

const planOne = (pin: Pin, change: EditDraftsInput["change"]): EditPlan => {
  const { after, problem } = planEdit(pin, change);
  if (pin.mayBePublished) return { pin, after, problem: { code: "wrong_state", text: TEXTS.mayBePublished } };
  return { pin, after, problem: problem === null ? null : { code: "invalid", text: problem } };
};

/** Locks pins and plans a change for each. Boards must have been checked. @throws AppError */
const planEdits = async (tx: Ctx, { pinIds, change }: EditDraftsInput): Promise<EditPlan[]> => {
  const locked = await lockPins(tx, { pinIds });
  if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notEditable });
  const accounts = new Set(locked.map(({ accountId }) => accountId));
  if (change.boardId !== undefined && accounts.size > 1) throw new AppError("invalid", { text: TEXTS.accountsDiffer });
  return locked.map((pin) => planOne(pin, change));
};

/** Previews a change. @throws AppError like `editDrafts`, except for what `problem` reports */
export const previewEdits = async (
  ctx: Ctx<"pinterest">,
  input: EditDraftsInput,
): Promise<{ edits: PlannedEdit[] }> => {
  await checkChange(ctx, input);
  const plans = await inTransaction(ctx, (tx) => planEdits(tx, input));
  return { edits: plans.map(toPlannedEdit) };
};

/** Checks the boards of these edits at Pinterest. @returns their account, or null when no edit has a board. */
const checkEditBoards = async (ctx: Ctx<"pinterest">, edits: UndoEditsInput["edits"]): Promise<string | null> => {
  const places = edits.flatMap((edit) => placeIn(edit) ?? []);
  const first = edits.find(({ boardId }) => boardId !== undefined);
  if (!first) return null;
  const { pin } = await requireOwnedPin(ctx, first.pinId);
  await checkPlaces(ctx, { accountId: pin.accountId, places });
  return pin.accountId;
};

/** The values come from the client. @throws AppError `wrong_state` after any change since, else like `editDrafts` */
export const undoEdits = async (ctx: Ctx<"jobs" | "pinterest">, { editedAt, edits }: UndoEditsInput): Promise<void> => {
  const boardsAccountId = await checkEditBoards(ctx, edits);
  const links = await inTransaction(ctx, async (tx) => {
    const locked = await lockPins(tx, { pinIds: edits.map(({ pinId }) => pinId) });
    const savedAtMs = Date.parse(editedAt);
    const isUntouched = (pin: Pin) => isAtRest(pin) && !pin.mayBePublished && pin.updatedAt.getTime() === savedAtMs;
    if (!locked.every(isUntouched)) throw new AppError("wrong_state", { text: TEXTS.changedSince });
    const earlier = new Map<string, Omit<UndoEditsInput["edits"][number], "pinId">>(
      edits.map(({ pinId, ...texts }) => [pinId, texts]),
    );
    const isOtherAccount = ({ id, accountId }: Pin) =>
      earlier.get(id)?.boardId !== undefined && accountId !== boardsAccountId;
    if (locked.some(isOtherAccount)) throw new AppError("invalid", { text: TEXTS.accountsDiffer });
    const restored = locked.map(({ id, boardId, boardSectionId, link, description, altText }) => {
      const { boardId: _, boardSectionId: __, ...texts } = earlier.get(id) ?? {};
      const place = placeIn(earlier.get(id) ?? {});
      return { pinId: id, boardId, boardSectionId, link, description, altText, ...texts, ...place };
    });
    await writeEdits(tx, restored);
    return restored.map(({ link }) => link);
  });
  await sendCheckEvents(ctx, { links });
};

/** With the links of its slides; not right after a check. @throws AppError `not_found`; `wrong_state` without a link or once published */
export const recheckLink = async (ctx: Ctx<"pinterest" | "jobs">, { pinId }: PinIdInput): Promise<PinWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  const slides = await findSlides(ctx, [pin.id]);
  const links = [pin.link, ...slides.map(({ link }) => link)].filter((link) => link !== null);
  if (links.length === 0) throw new AppError("wrong_state", { text: TEXTS.noLink });
  if (pin.status === "published") throw new AppError("wrong_state", { text: TEXTS.notCheckable });
  await inTransaction(ctx, (tx) => requestChecks(tx, { links, isAgain: true }));
  await sendCheckEvents(ctx, { links });
  const [current] = await findPinsById(ctx, [pin.id]);
  if (!current) throw new AppError("not_found");
  return toPinWire(ctx, current, account);
};
