import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** A sheet from which a user creates pins. */
export const pinImports = pgTable(
  "pin_imports",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id, { onDelete: "cascade" }),
    /** `review`: the user checks the rows; `creating`: confirmed; `done`: its rows are deleted. */
    status: text({ enum: ["review", "creating", "done"] }).notNull(),
    fileName: text().notNull(),
    format: text().notNull(),
    headers: text().array().notNull(),
    /** A `Mapping` of `lib/features/spreadsheets/engine/formats.ts`. */
    mapping: jsonb().notNull(),
    /** Whether rows with a time become scheduled pins instead of drafts. */
    isScheduled: boolean().notNull(),
    /** Boards that were created for this import, as `{id, name}`: lists of boards may be a minute old. */
    createdBoards: jsonb().notNull().default([]),
    /** Why the last try to create the pins created none. Safe to show. */
    reason: text(),
    drafts: integer().notNull().default(0),
    scheduled: integer().notNull().default(0),
    /** Grows with each event, so that its id was never used before. */
    runs: integer().notNull().default(0),
    /** When its run counts as lost and is started again; null while there is nothing to do. */
    wakeAt: at(),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("pin_imports_open").on(table.userId).where(sql`${table.status} <> 'done'`),
    index("pin_imports_user").on(table.userId, table.id),
    index("pin_imports_account").on(table.accountId),
    index("pin_imports_updated").on(table.updatedAt),
    index("pin_imports_wake").on(table.wakeAt).where(sql`${table.wakeAt} is not null`),
  ],
);

/** A row of the sheet, and its image once that is stored. */
export const pinImportRows = pgTable(
  "pin_import_rows",
  {
    importId: text()
      .notNull()
      .references(() => pinImports.id, { onDelete: "cascade" }),
    /** Of the row in the sheet, from 1. */
    number: integer().notNull(),
    cells: text().array().notNull(),
    /** Texts by field that replace the cells. */
    fixes: jsonb().notNull().default({}),
    isChosen: boolean().notNull().default(true),
    /** The URL or file name of its image; null without one. */
    imageRef: text(),
    /** The reference that the columns below belong to; other than `imageRef` until that image was fetched. */
    imageDone: text(),
    imageKey: text(),
    likeness: text(),
    placeholder: text(),
    /** Why there is no image. Safe to show. */
    imageProblem: text(),
    /** The pin as the user confirmed it: a `PlannedPin` of `lib/features/spreadsheets/planning.ts`. */
    plan: jsonb(),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.number] }),
    index("pin_import_rows_waiting")
      .on(table.importId, table.number)
      .where(
        sql`${table.isChosen} and ${table.imageRef} is not null and ${table.imageRef} is distinct from ${table.imageDone}`,
      ),
  ],
);

/** Images of an import's ZIP file, as they were sent. */
export const pinImportFiles = pgTable(
  "pin_import_files",
  {
    importId: text()
      .notNull()
      .references(() => pinImports.id, { onDelete: "cascade" }),
    /** In lower case, without folders. */
    name: text().notNull(),
    key: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.name] })],
);
