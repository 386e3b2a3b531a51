import "server-only";
import { setImmediate } from "node:timers/promises";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import type { ImportId } from "#lib/core/ids.ts";
import { createBoard, listBoards, listSections } from "#lib/features/accounts/accounts.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { findChecks } from "#lib/features/links/queries.ts";
import { findWarnings } from "#lib/features/planning/plans.ts";
import { warningText } from "#lib/features/planning/texts.ts";
import type { PinterestBoard } from "#lib/integrations/pinterest/port.ts";
import { TEXTS } from "./constants.ts";
import { rememberMapping } from "./engine/formats.ts";
import { dateOrderOf } from "./engine/times.ts";
import { deleteMarked, eraseImport } from "./erasure.ts";
import {
  findBoard,
  imageRefOf,
  linkOf,
  type NamedBoard,
  type PlanFrame,
  type PlannedRow,
  planRow,
  textIn,
} from "./planning.ts";
import {
  countImages,
  findFiles,
  findImport,
  findOpenImport,
  findRemembered,
  findRows,
  type Import,
  type ImportedRow,
  requireOwnImport,
  zoneOf,
} from "./queries.ts";
import type {
  ChooseRowsInput,
  CreateImportBoardInput,
  FixRowInput,
  ImportInput,
  ImportRequested,
  ImportWire,
  MapColumnsInput,
  ProgressInput,
  ProgressWire,
  ReviewInput,
  SetScheduledInput,
} from "./schema.ts";
import { isBeingChecked, pageOf, toImportWire } from "./serializers.ts";
import { noteWork, requestRun } from "./staging.ts";

const OUTAGES = ["provider_unavailable", "provider_failed", "reconnect_needed", "not_found"];

/** The account's boards with those created for this import; null while Pinterest doesn't respond. */
const readBoards = async (
  ctx: Ctx<"pinterest">,
  { accountId, createdBoards }: Import,
): Promise<NamedBoard[] | null> => {
  try {
    const listed = (await listBoards(ctx, { accountId })).map(({ id, name }) => ({ id, name }));
    const known = new Set(listed.map(({ id }) => id));
    return [...listed, ...createdBoards.filter(({ id }) => !known.has(id))];
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!OUTAGES.includes(error.code)) throw error;
    ctx.log.set({ boards_problem: error.code });
    return null;
  }
};

/** The sections of boards that rows name together with a section, as far as Pinterest responds. */
const readSections = async (
  ctx: Ctx<"pinterest">,
  { accountId, mapping }: Import,
  { boards, rows }: { boards: readonly NamedBoard[]; rows: readonly ImportedRow[] },
): Promise<Map<string, Set<string>>> => {
  const withSection = rows.filter((row) => textIn(row, mapping, "boardSectionId") !== "");
  // Few boards are named by many rows.
  const places = withSection.map((row) => [textIn(row, mapping, "boardId"), textIn(row, mapping, "board")] as const);
  const named = [...new Map(places.map((place) => [JSON.stringify(place), place])).values()].map(([id, name]) =>
    findBoard(boards, id, name),
  );
  const boardIds = new Set(named.flatMap((board) => (board === null || board === "several" ? [] : board.id)));
  const sections = new Map<string, Set<string>>();
  for (const boardId of boardIds) {
    try {
      const listed = await listSections(ctx, { accountId, boardId });
      sections.set(boardId, new Set(listed.map(({ id }) => id)));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (![...OUTAGES, "refused"].includes(error.code)) throw error;
      ctx.log.set({ boards_problem: error.code });
      // Each further board would wait for Pinterest as well; a board that is gone or refused is alone.
      if (error.code !== "not_found" && error.code !== "refused") break;
    }
  }
  return sections;
};

export interface PlannedImport {
  frame: PlanFrame;
  rows: ImportedRow[];
  /** By position in `rows`. */
  plans: PlannedRow[];
}

/** Rows that are planned before others get their turn: a few milliseconds of work. */
const ROWS_PER_TURN = 100;

/** Plans all rows without blocking the process. */
export const planImport = async (ctx: Ctx<"pinterest">, open: Import): Promise<PlannedImport> => {
  const [boards, files, rows, timeZone, now] = await Promise.all([
    readBoards(ctx, open),
    findFiles(ctx, open.id),
    findRows(ctx, open.id),
    zoneOf(ctx, open.accountId),
    databaseTime(ctx),
  ]);
  const { mapping, isScheduled } = open;
  const dateOrder = dateOrderOf(rows.map((row) => textIn(row, mapping, "publishAt")));
  const sections = await readSections(ctx, open, { boards: boards ?? [], rows });
  const frame = { mapping, boards, sections, files: new Set(files.keys()), timeZone, isScheduled, dateOrder, now };
  const plans: PlannedRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
    plans.push(planRow(row, frame));
  }
  return { frame, rows, plans };
};

const usernameOf = async (ctx: Ctx, { accountId }: Import): Promise<string> => {
  const [row] = await ctx.db
    .select({ username: pinterestAccounts.username })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.id, accountId));
  return row?.username ?? "";
};

/** Where the chosen rows' times break the account's safe pace, by row number. They can be scheduled all the same. */
const findPaceTexts = async (
  ctx: Ctx,
  { accountId, status }: Import,
  { rows, plans }: PlannedImport,
): Promise<Map<number, string>> => {
  if (status !== "review") return new Map();
  const slots = rows.flatMap(({ number, isChosen, likeness }, index) => {
    const { pin, scheduledAt } = plans[index] ?? {};
    if (!isChosen || !pin || !scheduledAt) return [];
    return [{ accountId, pin: { id: String(number), title: pin.title, link: pin.link, likeness }, at: scheduledAt }];
  });
  const warnings = await findWarnings(ctx, slots);
  return new Map(warnings.map((warning) => [Number(warning.post_id), warningText(warning)]));
};

const present = async (
  ctx: Ctx<"pinterest">,
  open: Import,
  input: Omit<ReviewInput, "importId">,
): Promise<ImportWire> => {
  const [planned, username] = await Promise.all([planImport(ctx, open), usernameOf(ctx, open)]);
  const shown = pageOf(planned, input.filter, input.page);
  const [checks, paceTexts] = await Promise.all([
    findChecks(ctx, { links: shown.rows.map(({ plan }) => plan.link) }),
    findPaceTexts(ctx, open, planned),
  ]);
  return toImportWire({ open, planned, username, shown, checks, paceTexts }, ctx);
};

/** One page of the rows as they would become, with counts over all. @throws AppError `not_found` */
export const readImport = async (ctx: Ctx<"pinterest">, input: ReviewInput): Promise<ImportWire> =>
  present(ctx, await requireOwnImport(ctx, input.importId), input);

/** What changes by itself, without planning the rows: screens ask every few seconds. @throws AppError `not_found` */
export const readProgress = async (ctx: Ctx, { importId, numbers }: ProgressInput): Promise<ProgressWire> => {
  const open = await requireOwnImport(ctx, importId);
  const { id, status, runs, mapping } = open;
  const { waiting, failed, shownWaiting } = await countImages(ctx, id, numbers);
  const links = (await findRows(ctx, id, numbers)).flatMap((row) => (row.isChosen ? [linkOf(row, mapping)] : []));
  const checks = await findChecks(ctx, { links });
  return {
    ...{ status, version: runs, images_waiting: waiting, images_failed: failed },
    ...{
      shown_waiting: shownWaiting,
      shown_checking: links.filter((link) => isBeingChecked(link, checks, open)).length,
    },
  };
};

/** Has the links of all chosen rows checked, as those of pins are. Safe to repeat: results of a day ago still count. */
export const checkRowLinks = async (ctx: Ctx<"jobs">, { importId }: ImportRequested): Promise<void> => {
  const open = await findImport(ctx, importId);
  if (open?.status !== "review") return;
  const chosen = (await findRows(ctx, open.id)).filter(({ isChosen }) => isChosen);
  const links = chosen.map((row) => linkOf(row, open.mapping));
  await inTransaction(ctx, (tx) => requestChecks(tx, { links }));
  await sendCheckEvents(ctx, { links });
};

/** The user's import that isn't done, for the first paint; null without one. */
export const readOpenImport = async (ctx: Ctx<"pinterest">): Promise<ImportWire | null> => {
  const open = await findOpenImport(ctx);
  return open && present(ctx, open, { filter: "all", page: 0 });
};

/** Locks an own import in review. @throws AppError `not_found`, `wrong_state` */
const lockReview = async (tx: Ctx, importId: string): Promise<Import> => {
  const own = await requireOwnImport(tx, importId);
  const [locked] = await tx.db
    .select({ status: pinImports.status })
    .from(pinImports)
    .where(eq(pinImports.id, own.id))
    .for("update");
  if (locked?.status !== "review") throw new AppError("wrong_state", { text: TEXTS.notInReview });
  return requireOwnImport(tx, importId);
};

/** Changes an import in review, and has images fetched that the change named. */
const change = async (
  ctx: Ctx<"jobs">,
  importId: string,
  run: (tx: Ctx, open: Import) => Promise<void>,
): Promise<void> => {
  const work = await inTransaction(ctx, async (tx) => {
    const open = await lockReview(tx, importId);
    await run(tx, open);
    return { id: open.id, number: await noteWork(tx, open.id) };
  });
  await requestRun(ctx, work.id, work.number);
};

const writeRefs = async (tx: Ctx, importId: ImportId, refs: readonly { number: number; ref: string | null }[]) => {
  await tx.db.execute(sql`
    update ${pinImportRows} set image_ref = named.ref
    from jsonb_to_recordset(${JSON.stringify(refs)}::jsonb) as named (number int, ref text)
    where ${pinImportRows.importId} = ${importId} and ${pinImportRows.number} = named.number`);
};

/** Remembers the choice for later sheets of the account. @throws AppError `not_found`, `invalid`, `wrong_state` */
export const mapColumns = (ctx: Ctx<"jobs">, { importId, mapping }: MapColumnsInput): Promise<void> =>
  change(ctx, importId, async (tx, open) => {
    if (Object.values(mapping).some((column) => column >= open.headers.length)) {
      throw new AppError("invalid", { text: TEXTS.fieldUnknown });
    }
    await tx.db.update(pinImports).set({ mapping }).where(eq(pinImports.id, open.id));
    const importColumns = rememberMapping(await findRemembered(tx, open.accountId), open.headers, mapping);
    await tx.db.update(pinterestAccounts).set({ importColumns }).where(eq(pinterestAccounts.id, open.accountId));
    const rows = await findRows(tx, open.id);
    const refs = rows.map((row) => ({ number: row.number, ref: imageRefOf(textIn(row, mapping, "image")) }));
    await writeRefs(tx, open.id, refs);
  });

/** Replaces texts of a row; the sheet's own cells are kept. @throws AppError `not_found`, `wrong_state` */
export const fixRow = (ctx: Ctx<"jobs">, { importId, number, fixes }: FixRowInput): Promise<void> =>
  change(ctx, importId, async (tx, open) => {
    const isRow = and(eq(pinImportRows.importId, open.id), eq(pinImportRows.number, number));
    const [row] = await tx.db.select().from(pinImportRows).where(isRow);
    if (!row) throw new AppError("not_found");
    const merged = { ...(row as ImportedRow).fixes, ...fixes };
    const imageRef = imageRefOf(textIn({ cells: row.cells, fixes: merged }, open.mapping, "image"));
    // A corrected row is wanted, also when it was left out for its problems.
    await tx.db.update(pinImportRows).set({ fixes: merged, imageRef, isChosen: true }).where(isRow);
  });

const numbersOf = async (
  ctx: Ctx<"pinterest">,
  open: Import,
  wanted: ChooseRowsInput["numbers"],
): Promise<number[]> => {
  if (Array.isArray(wanted)) return wanted;
  const { rows, plans } = await planImport(ctx, open);
  return rows.filter((_, at) => wanted === "all" || plans[at]?.pin === null).map(({ number }) => number);
};

/** Chooses rows or leaves them out. @throws AppError `not_found`, `wrong_state` */
export const chooseRows = async (
  ctx: Ctx<"jobs" | "pinterest">,
  { importId, numbers, isChosen }: ChooseRowsInput,
): Promise<void> => {
  const changed = await numbersOf(ctx, await requireOwnImport(ctx, importId), numbers);
  await change(ctx, importId, async (tx, open) => {
    await tx.db
      .update(pinImportRows)
      .set({ isChosen })
      .where(
        and(
          eq(pinImportRows.importId, open.id),
          sql`${pinImportRows.number} = any (${`{${changed.join(",")}}`}::int[])`,
        ),
      );
  });
};

export const setScheduled = (ctx: Ctx<"jobs">, { importId, isScheduled }: SetScheduledInput): Promise<void> =>
  change(ctx, importId, async (tx, open) => {
    await tx.db.update(pinImports).set({ isScheduled }).where(eq(pinImports.id, open.id));
  });

/** Fetches again what couldn't be fetched. @throws AppError `not_found`, `wrong_state` */
export const retryImages = (ctx: Ctx<"jobs">, { importId }: ImportInput): Promise<void> =>
  change(ctx, importId, async (tx, open) => {
    await tx.db
      .update(pinImportRows)
      .set({ imageDone: null, imageProblem: null })
      .where(and(eq(pinImportRows.importId, open.id), isNotNull(pinImportRows.imageProblem)));
  });

/** Creates a board for rows, on Pinterest at once. @throws AppError as `createBoard`, or `wrong_state` */
export const createImportBoard = async (
  ctx: Ctx<"jobs" | "pinterest">,
  { importId, name }: CreateImportBoardInput,
): Promise<PinterestBoard> => {
  const { accountId, status } = await requireOwnImport(ctx, importId);
  if (status !== "review") throw new AppError("wrong_state", { text: TEXTS.notInReview });
  const board = await createBoard(ctx, { accountId, name });
  const named = { id: board.id, name: board.name };
  await change(ctx, importId, async (tx, open) => {
    const createdBoards = [...open.createdBoards.filter(({ id }) => id !== named.id), named];
    await tx.db.update(pinImports).set({ createdBoards }).where(eq(pinImports.id, open.id));
  });
  return board;
};

/** Deletes an import with everything stored for it. @throws AppError `not_found`; `wrong_state` once confirmed */
export const discardImport = async (ctx: Ctx<"storage">, { importId }: ImportInput): Promise<void> => {
  const fileKeys = await inTransaction(ctx, async (tx) => {
    const own = await requireOwnImport(tx, importId);
    if (own.status !== "done") await lockReview(tx, importId);
    return eraseImport(tx, { importId: own.id });
  });
  await deleteMarked(ctx, fileKeys);
};
