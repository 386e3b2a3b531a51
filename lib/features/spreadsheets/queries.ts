import "server-only";
import { and, asc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type AccountId, type ImportId, isId } from "#lib/core/ids.ts";
import { findTimeZones } from "#lib/features/accounts/queries.ts";
import type { Field, SheetFormat } from "./constants.ts";
import type { Mapping } from "./engine/formats.ts";
import type { NamedBoard, PlannedPin, StagedRow } from "./planning.ts";

type ImportRow = typeof pinImports.$inferSelect;
type Row = typeof pinImportRows.$inferSelect;

export type Import = Omit<ImportRow, "id" | "accountId" | "format" | "mapping" | "createdBoards"> & {
  id: ImportId;
  accountId: AccountId;
  format: SheetFormat;
  mapping: Mapping;
  createdBoards: NamedBoard[];
};

export type ImportedRow = Omit<Row, "fixes" | "plan"> & StagedRow & { plan: PlannedPin | null };

/** The casts are safe: only this feature writes these tables. */
const toImport = (row: ImportRow): Import => row as Import;

/** @throws AppError `not_found` for another user's, unknown or malformed ID */
export const requireOwnImport = async (ctx: Ctx, id: string): Promise<Import> => {
  const isOwn = and(eq(pinImports.id, id), eq(pinImports.userId, requireUserId(ctx)));
  const [row] = isId("import", id) ? await ctx.db.select().from(pinImports).where(isOwn) : [];
  if (!row) throw new AppError("not_found");
  return toImport(row);
};

export const findImport = async (ctx: Ctx, id: string): Promise<Import | null> => {
  const [row] = await ctx.db.select().from(pinImports).where(eq(pinImports.id, id));
  return row ? toImport(row) : null;
};

/** The user's import that isn't done; there is at most one. */
export const findOpenImport = async (ctx: Ctx): Promise<Import | null> => {
  const isOpen = and(eq(pinImports.userId, requireUserId(ctx)), ne(pinImports.status, "done"));
  const [row] = await ctx.db.select().from(pinImports).where(isOpen);
  return row ? toImport(row) : null;
};

/** In the order of the sheet; only those with these numbers, if given. */
export const findRows = async (ctx: Ctx, importId: ImportId, numbers?: readonly number[]): Promise<ImportedRow[]> => {
  const rows = await ctx.db
    .select()
    .from(pinImportRows)
    .where(and(eq(pinImportRows.importId, importId), numbers && inArray(pinImportRows.number, [...numbers])))
    .orderBy(asc(pinImportRows.number));
  return rows as ImportedRow[];
};

/** Storage keys of the images in the import's ZIP file, by name. */
export const findFiles = async (ctx: Ctx, importId: ImportId): Promise<Map<string, string>> => {
  const { name, key } = pinImportFiles;
  const rows = await ctx.db.select({ name, key }).from(pinImportFiles).where(eq(pinImportFiles.importId, importId));
  return new Map(rows.map((row) => [row.name, row.key]));
};

/** What the columns of earlier sheets were used for, by column name. */
export const findRemembered = async (ctx: Ctx, accountId: AccountId): Promise<Record<string, Field | null>> => {
  const [row] = await ctx.db
    .select({ columns: pinterestAccounts.importColumns })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.id, accountId));
  return (row?.columns ?? {}) as Record<string, Field | null>;
};

/** The zone in which the times of an account's sheets are read and written. */
export const zoneOf = async (ctx: Ctx, accountId: AccountId): Promise<string> =>
  (await findTimeZones(ctx, [accountId])).get(accountId) ?? "UTC";

const imageIsWaiting = sql`${pinImportRows.isChosen} and ${pinImportRows.imageRef} is not null
  and ${pinImportRows.imageRef} is distinct from ${pinImportRows.imageDone}`;

/** Rows of an import whose image is to be fetched. */
export const isWaiting = (importId: ImportId) => and(eq(pinImportRows.importId, importId), imageIsWaiting);

/** Chosen rows by the state of their images. `shownWaiting`: of the rows with these numbers. */
export const countImages = async (
  ctx: Ctx,
  importId: ImportId,
  numbers: readonly number[],
): Promise<{ waiting: number; failed: number; shownWaiting: number }> => {
  const countWhere = (condition: SQL) => sql<number>`(count(*) filter (where ${condition}))::int`;
  const { isChosen, imageProblem, number } = pinImportRows;
  const [counts] = await ctx.db
    .select({
      waiting: countWhere(imageIsWaiting),
      failed: countWhere(sql`${isChosen} and ${imageProblem} is not null and not (${imageIsWaiting})`),
      shownWaiting: countWhere(sql`${imageIsWaiting} and ${number} = any (${`{${numbers.join(",")}}`}::int[])`),
    })
    .from(pinImportRows)
    .where(eq(pinImportRows.importId, importId));
  return counts ?? { waiting: 0, failed: 0, shownWaiting: 0 };
};
