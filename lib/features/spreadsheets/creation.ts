import "server-only";
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { ImportId, PinId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { findWrongPlace, lockAccount } from "#lib/features/pins/guards.ts";
import { START_AHEAD_MS } from "#lib/features/publishing/constants.ts";
import { startScheduledPins } from "#lib/features/publishing/due-pins.ts";
import { planStart } from "#lib/features/publishing/free-times.ts";
import { RUN_LOST_MS, SWEEP_BATCH, TEXTS } from "./constants.ts";
import { deleteMarked, eraseImport, eraseRows } from "./erasure.ts";
import type { PlannedPin } from "./planning.ts";
import { findImport, findRows, type Import, type ImportedRow, isWaiting, requireOwnImport } from "./queries.ts";
import { planImport } from "./review.ts";
import type { ConfirmInput, ImportInput, ImportRequested } from "./schema.ts";
import { noteWork, requestRun } from "./staging.ts";

/** Rows per statement. */
const BATCH = 500;

type ConfirmedPin = { number: number; plan: PlannedPin };

const writePlans = async (tx: Ctx, importId: ImportId, confirmed: readonly ConfirmedPin[]): Promise<void> => {
  for (let at = 0; at < confirmed.length; at += BATCH) {
    await tx.db.execute(sql`
      update ${pinImportRows} set plan = confirmed.plan
      from jsonb_to_recordset(${JSON.stringify(confirmed.slice(at, at + BATCH))}::jsonb)
        as confirmed (number int, plan jsonb)
      where ${pinImportRows.importId} = ${importId} and ${pinImportRows.number} = confirmed.number`);
  }
};

/** For sections that could not be read while the rows were planned. @throws AppError `invalid` naming the row */
const checkSections = async (
  ctx: Ctx<"pinterest">,
  { accountId }: Import,
  confirmed: readonly ConfirmedPin[],
): Promise<void> => {
  const rows = confirmed.filter(({ plan }) => plan.boardSectionId);
  const places = rows.map(({ plan: { boardId, boardSectionId = null } }) => ({ boardId, boardSectionId }));
  const wrong = places.length > 0 ? await findWrongPlace(ctx, { accountId, places }) : null;
  const number = wrong && rows[wrong.at]?.number;
  if (number) throw new AppError("invalid", { text: TEXTS.failedLater(number, wrong.text) });
};

/**
 * Has all chosen rows created as the user saw them: all or none, once their images are fetched.
 * @throws AppError `not_found`; `invalid` without rows or with problems; `wrong_state` when it is not in review, or was
 * changed since, such as in another tab
 */
export const confirmImport = async (
  ctx: Ctx<"jobs" | "pinterest">,
  { importId, version, timeZone }: ConfirmInput,
): Promise<void> => {
  const seen = await requireOwnImport(ctx, importId);
  if (seen.status !== "review") throw new AppError("wrong_state", { text: TEXTS.notInReview });
  const { rows, plans, frame } = await planImport(ctx, seen);
  const changed = new AppError("wrong_state", { text: TEXTS.changedSince });
  if (seen.runs !== version || frame.timeZone !== timeZone) throw changed;
  const chosen = rows.flatMap(({ number, isChosen }, at) =>
    isChosen ? [{ number, plan: plans[at]?.pin ?? null }] : [],
  );
  const confirmed = chosen.filter((row): row is ConfirmedPin => row.plan !== null);
  if (chosen.length === 0) throw new AppError("invalid", { text: TEXTS.noRows });
  const invalid = chosen.length - confirmed.length;
  if (invalid > 0) throw new AppError("invalid", { text: TEXTS.rowsInvalid(invalid) });
  await checkSections(ctx, seen, confirmed);
  const run = await inTransaction(ctx, async (tx) => {
    // Every change of an import in review counts a run, so an equal count means that these rows are current.
    const [claimed] = await tx.db
      .update(pinImports)
      .set({ status: "creating", reason: null })
      .where(and(eq(pinImports.id, seen.id), eq(pinImports.status, "review"), eq(pinImports.runs, seen.runs)))
      .returning({ id: pinImports.id });
    if (!claimed) throw changed;
    await writePlans(tx, seen.id, confirmed);
    return noteWork(tx, seen.id);
  });
  await requestRun(ctx, seen.id, run);
  ctx.log.set({ import_rows: confirmed.length });
};

/**
 * Takes back the confirmation of an import, such as while its images can't be fetched. Its rows stay for review.
 * @throws AppError `not_found`; `wrong_state` once its pins exist, or when it is back in review
 */
export const cancelCreation = async (ctx: Ctx<"jobs">, { importId }: ImportInput): Promise<void> => {
  const { id } = await requireOwnImport(ctx, importId);
  const run = await inTransaction(ctx, async (tx) => {
    // Waits for a transaction that is creating its pins, and then finds it done.
    const [canceled] = await tx.db
      .update(pinImports)
      .set({ status: "review" })
      .where(and(eq(pinImports.id, id), eq(pinImports.status, "creating")))
      .returning({ id: pinImports.id });
    if (!canceled) throw new AppError("wrong_state", { text: TEXTS.notCreating });
    return noteWork(tx, id);
  });
  await requestRun(ctx, id, run);
};

/** A row that can't be created now, although it was confirmed. */
class RowRefusal extends Error {
  readonly text: string;

  constructor({ number }: ImportedRow, text: string) {
    super(text);
    this.text = TEXTS.failedLater(number, text);
  }
}

const dueTimeOf = (row: ImportedRow, { scheduledAt }: PlannedPin, now: Date): Date | null => {
  if (scheduledAt === null) return null;
  try {
    return planStart(new Date(scheduledAt), now);
  } catch (error) {
    if (error instanceof AppError) throw new RowRefusal(row, error.message);
    throw error;
  }
};

const NOT_SCHEDULED = { status: "draft" } as const;

const scheduleOf = (dueAt: Date, now: Date, batchId: string) =>
  ({ status: "scheduled", scheduledAt: dueAt, scheduleGeneration: 1, batchId, chosenAt: now, wakeAt: dueAt }) as const;

/** The first row of the sheet gets the latest time: lists show the newest pin first. */
const toPins = (tx: Ctx, { userId, accountId }: Import, rows: readonly ImportedRow[]) => {
  const now = tx.now();
  const batchId = tx.newId("batch");
  return rows.map((row, index) => {
    const { plan, imageKey, likeness, placeholder } = row;
    if (!plan || imageKey === null) throw new RowRefusal(row, row.imageProblem ?? TEXTS.imageUnreadable);
    const { scheduledAt: _, ...texts } = plan;
    const dueAt = dueTimeOf(row, plan, now);
    const createdAt = addMs(now, -index);
    const owner = { id: tx.newId("pin"), userId, accountId };
    const schedule = dueAt ? scheduleOf(dueAt, now, batchId) : NOT_SCHEDULED;
    return { ...texts, ...owner, ...schedule, imageKey, likeness, placeholder, createdAt, updatedAt: createdAt };
  });
};

interface CreatedPins {
  links: (string | null)[];
  dueIds: PinId[];
  fileKeys: string[];
}

const insertPins = async (tx: Ctx, open: Import): Promise<CreatedPins> => {
  const rows = (await findRows(tx, open.id)).filter(({ isChosen }) => isChosen);
  const created = toPins(tx, open, rows);
  for (let at = 0; at < created.length; at += BATCH) await tx.db.insert(pins).values(created.slice(at, at + BATCH));
  const links = created.map(({ link }) => link);
  await requestChecks(tx, { links });
  const usedKeys = new Set(created.map(({ imageKey }) => imageKey));
  await tx.db.delete(orphanedImages).where(isAnyOf(orphanedImages.key, usedKeys));
  const fileKeys = await eraseRows(tx, { importId: open.id, usedKeys });
  const dueTimes = created.flatMap((pin) => ("scheduledAt" in pin ? [{ id: pin.id, at: pin.scheduledAt }] : []));
  const counts = { scheduled: dueTimes.length, drafts: created.length - dueTimes.length };
  await tx.db
    .update(pinImports)
    .set({ status: "done", wakeAt: null, updatedAt: tx.now(), ...counts })
    .where(eq(pinImports.id, open.id));
  tx.log.set({ drafts_made: counts.drafts, pins_scheduled: counts.scheduled });
  // The scan starts all others in time.
  const soon = addMs(tx.now(), START_AHEAD_MS);
  return { links, dueIds: dueTimes.filter(({ at }) => at <= soon).map(({ id }) => id), fileKeys };
};

/** Null when it is not confirmed, was created before, or its user or account is gone. */
const createInTransaction = async (tx: Ctx, { id, userId, accountId }: Import): Promise<CreatedPins | null> => {
  const user = await lockUser(tx, userId);
  if (!user || user.closedAt) return null;
  // Whoever removes the account meanwhile waits. The import is the account owner's.
  await lockAccount(tx, accountId as OwnedAccountId);
  const isConfirmed = and(eq(pinImports.id, id), eq(pinImports.status, "creating"));
  const [locked] = await tx.db.select().from(pinImports).where(isConfirmed).for("update");
  return locked ? insertPins(tx, locked as Import) : null;
};

const backToReview = async (ctx: Ctx, importId: ImportId, reason: string): Promise<void> => {
  await ctx.db
    .update(pinImports)
    .set({ status: "review", reason, wakeAt: null, updatedAt: ctx.now() })
    .where(and(eq(pinImports.id, importId), eq(pinImports.status, "creating")));
};

type CreationResult = { kind: "created" | "refused" | "nothing" | "images_left" };

const endReview = async (ctx: Ctx, importId: ImportId): Promise<void> => {
  const noneWaits = sql`not exists (select 1 from ${pinImportRows} where ${isWaiting(importId)})`;
  await ctx.db
    .update(pinImports)
    .set({ wakeAt: null })
    .where(and(eq(pinImports.id, importId), eq(pinImports.status, "review"), noneWaits));
};

const tryToCreate = async (ctx: Ctx, open: Import): Promise<CreatedPins | "refused" | null> => {
  try {
    return await inTransaction(ctx, (tx) => createInTransaction(tx, open));
  } catch (error) {
    if (error instanceof RowRefusal) {
      await backToReview(ctx, open.id, error.text);
      return "refused";
    }
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    // The account was removed, and what was staged for it is of no use.
    await inTransaction(ctx, (tx) => eraseImport(tx, { importId: open.id }));
    return null;
  }
};

/**
 * Creates the pins of a confirmed import in one transaction; call it when no image is left to fetch. Safe to repeat.
 * If a row has become impossible, such as a time that passed meanwhile, nothing is created and the user decides again.
 */
export const createImportedPins = async (
  ctx: Ctx<"jobs" | "storage">,
  { importId }: ImportRequested,
): Promise<CreationResult> => {
  const open = await findImport(ctx, importId);
  if (!open || open.status === "done") return { kind: "nothing" };
  if (open.status === "review") {
    await endReview(ctx, open.id);
    return { kind: "nothing" };
  }
  if ((await ctx.db.$count(pinImportRows, isWaiting(open.id))) > 0) return { kind: "images_left" };
  const created = await tryToCreate(ctx, open);
  if (created === null) return { kind: "nothing" };
  if (created === "refused") return { kind: "refused" };
  await sendCheckEvents(ctx, { links: created.links });
  await startScheduledPins(ctx, created.dueIds);
  await deleteMarked(ctx, created.fileKeys);
  return { kind: "created" };
};

/** Starts runs again that were silent for too long. @throws when the engine does not take the events */
export const sweepImports = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const lost = await inTransaction(ctx, async (tx) => {
    const stalled = tx.db
      .select({ id: pinImports.id })
      .from(pinImports)
      .where(lte(pinImports.wakeAt, tx.now()))
      .orderBy(asc(pinImports.wakeAt))
      .limit(SWEEP_BATCH)
      .for("update", { skipLocked: true });
    // Without another run: only the user's changes count as such.
    return tx.db
      .update(pinImports)
      .set({ wakeAt: addMs(tx.now(), RUN_LOST_MS) })
      .where(inArray(pinImports.id, stalled))
      .returning({ id: pinImports.id, wakeAt: pinImports.wakeAt });
  });
  await ctx.jobs.send(
    lost.map(({ id, wakeAt }) => ({
      name: "pins/import.requested" as const,
      id: `import:${id}:again:${wakeAt?.getTime()}`,
      data: { importId: id },
    })),
  );
  return { sent: lost.length };
};
