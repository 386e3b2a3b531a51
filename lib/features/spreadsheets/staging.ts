import "server-only";
import { and, eq, ne, sql } from "drizzle-orm";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { ImportId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { type OwnedAccount, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import { discardArchive, storeArchive } from "./archives.ts";
import { RUN_LOST_MS, SHEET_FAULTS, SHEET_PART, TEXTS } from "./constants.ts";
import { guessMapping, type Mapping, recognizeFormat } from "./engine/formats.ts";
import type { Sheet } from "./engine/reading.ts";
import { deleteMarked, eraseImport } from "./erasure.ts";
import { imageRefOf, textIn } from "./planning.ts";
import { findOpenImport, findRemembered } from "./queries.ts";
import type { StageInput } from "./schema.ts";
import { readSheet } from "./sheet-thread.ts";

/** Asks for a run that fetches images, and creates the pins once they are confirmed. The sweep repeats a lost request. */
export const requestRun = async (ctx: Ctx<"jobs">, importId: ImportId, run: number): Promise<void> => {
  try {
    await ctx.jobs.send([{ name: "pins/import.requested", id: `import:${importId}:${run}`, data: { importId } }]);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

/** In a transaction: notes that there is work for a run. @returns its number, for {@link requestRun} */
export const noteWork = async (tx: Ctx, importId: ImportId): Promise<number> => {
  const [row] = await tx.db
    .update(pinImports)
    .set({ runs: sql`${pinImports.runs} + 1`, wakeAt: addMs(tx.now(), RUN_LOST_MS), updatedAt: tx.now() })
    .where(and(eq(pinImports.id, importId), ne(pinImports.status, "done")))
    .returning({ runs: pinImports.runs });
  return row?.runs ?? 0;
};

const refuseSheet = (text: string): AppError => new AppError("invalid", { text, fields: { [SHEET_PART]: [text] } });

const readInput = async ({ sheet }: StageInput): Promise<Sheet> => {
  if (!sheet) throw refuseSheet(TEXTS.sheetNeeded);
  const reading = await readSheet(sheet.path);
  if (reading.kind === "refused") throw refuseSheet(SHEET_FAULTS[reading.fault]);
  return reading.sheet;
};

interface Staged {
  account: OwnedAccount;
  sheet: Sheet;
  files: ReadonlyMap<string, string>;
  mapping: Mapping;
  fileName: string;
}

/** Rows per statement. */
const BATCH = 500;

const insertRows = async (tx: Ctx, importId: ImportId, { sheet, mapping }: Staged): Promise<void> => {
  const rows = sheet.rows.map(({ number, cells }) => {
    const imageRef = imageRefOf(textIn({ cells, fixes: {} }, mapping, "image"));
    return { importId, number, cells, imageRef };
  });
  for (let at = 0; at < rows.length; at += BATCH) await tx.db.insert(pinImportRows).values(rows.slice(at, at + BATCH));
};

interface WrittenImport {
  importId: ImportId;
  run: number;
  /** Storage keys of files of the import that it replaces. */
  replacedKeys: string[];
}

const writeImport = async (tx: Ctx, staged: Staged): Promise<WrittenImport> => {
  const { account, sheet, files, mapping, fileName } = staged;
  const userId = requireUserId(tx);
  const user = await lockUser(tx, userId);
  if (!user || user.closedAt) throw new AppError("unauthenticated");
  await lockAccount(tx, account.id);
  const before = await findOpenImport(tx);
  if (before?.status === "creating") throw new AppError("wrong_state", { text: TEXTS.stillCreating });
  const replacedKeys = before ? await eraseImport(tx, { importId: before.id }) : [];
  const importId = tx.newId("import");
  const times = { createdAt: tx.now(), updatedAt: tx.now() };
  const facts = { fileName, format: recognizeFormat(sheet.headers), headers: sheet.headers, mapping, ...times };
  const isScheduled = mapping.publishAt !== undefined;
  await tx.db
    .insert(pinImports)
    .values({ id: importId, userId, accountId: account.id, status: "review", isScheduled, ...facts });
  await insertRows(tx, importId, staged);
  const named = [...files].map(([name, key]) => ({ importId, name, key }));
  if (named.length > 0) await tx.db.insert(pinImportFiles).values(named);
  return { importId, run: await noteWork(tx, importId), replacedKeys };
};

const writeOrDiscard = async (ctx: Ctx<"storage">, staged: Staged): Promise<WrittenImport> => {
  try {
    return await inTransaction(ctx, (tx) => writeImport(tx, staged));
  } catch (error) {
    // After other errors, the commit may have succeeded; if not, the files are deleted after a week.
    if (error instanceof AppError) await discardArchive(ctx, staged.files);
    throw error;
  }
};

/**
 * Stores the rows of a sheet for review; no pin is created. Replaces the user's earlier import in review.
 * @throws AppError `not_found`, `reconnect_needed`; `invalid` with the part's name; `wrong_state` while one is being created
 */
export const stageSheet = async (
  ctx: Ctx<"jobs" | "storage">,
  input: StageInput,
): Promise<{ importId: ImportId; rows: number }> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  const open = await findOpenImport(ctx);
  if (open?.status === "creating") throw new AppError("wrong_state", { text: TEXTS.stillCreating });
  const sheet = await readInput(input);
  const files = input.images ? await storeArchive(ctx, input.images) : new Map<string, string>();
  const mapping = guessMapping(sheet.headers, await findRemembered(ctx, account.id));
  const staged = { account, sheet, files, mapping, fileName: input.fileName };
  const { importId, run, replacedKeys } = await writeOrDiscard(ctx, staged);
  await requestRun(ctx, importId, run);
  await deleteMarked(ctx, replacedKeys);
  ctx.log.set({ import_rows: sheet.rows.length });
  return { importId, rows: sheet.rows.length };
};
