import { z } from "zod";
import type { ImportId } from "#lib/core/ids.ts";
import { isId } from "#lib/core/ids.ts";
import { firstChars, visible } from "#lib/core/text.ts";
import { accountId, BOARD_NAME_MAX } from "#lib/features/accounts/schema.ts";
import type { LinkState } from "#lib/features/links/constants.ts";
import { opaqueId } from "#lib/features/pins/schema.ts";
import {
  CELL_MAX,
  COLUMNS_MAX,
  EXPORT_FORMATS,
  EXPORT_STATUSES,
  FIELDS,
  type Field,
  IMAGES_PART,
  REVIEW_FILTERS,
  REVIEW_PAGE,
  ROWS_MAX,
  SHEET_PART,
  type SheetFormat,
  TEXTS,
} from "./constants.ts";
import type { Mapping } from "./engine/formats.ts";

const uploadedFile = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });

const FILE_NAME_MAX = 120;

/** The multipart body of POST /api/users/pinterest/imports/, by part, so that errors name the part. */
export const stageInput = z
  .object({
    pinterest_account: accountId,
    file_name: z
      .string()
      .transform((name) => firstChars(visible(name).replaceAll(/\s+/g, " "), FILE_NAME_MAX))
      .default(""),
    [SHEET_PART]: uploadedFile.optional(),
    [IMAGES_PART]: uploadedFile.optional(),
  })
  .transform(({ pinterest_account, file_name, sheet, images }) => ({
    accountId: pinterest_account,
    fileName: file_name || "Spreadsheet",
    sheet: sheet ?? null,
    images: images ?? null,
  }));
export type StageInput = z.output<typeof stageInput>;

export interface StagedWire {
  import_id: string;
  rows: number;
}

export const importInput = z.object({ importId: opaqueId });
export type ImportInput = z.output<typeof importInput>;

/** Of the sheet, as the database stores it. */
const rowNumber = z.number().int().min(1).max(2_147_483_647);

/** `version` and `timeZone` of the {@link ImportWire} that the user saw. */
export const confirmInput = importInput.extend({
  version: z.number().int().min(0),
  timeZone: z.string().max(64),
});
export type ConfirmInput = z.output<typeof confirmInput>;

export const reviewInput = z.object({
  importId: opaqueId,
  filter: z.enum(REVIEW_FILTERS).default("all"),
  page: z.number().int().min(0).max(ROWS_MAX).default(0),
});
export type ReviewInput = z.output<typeof reviewInput>;

const column = z
  .number(TEXTS.fieldUnknown)
  .int()
  .min(0)
  .max(COLUMNS_MAX - 1);

export const mapColumnsInput = z.object({
  importId: opaqueId,
  mapping: z
    .partialRecord(z.enum(FIELDS), column)
    .refine((mapping) => new Set(Object.values(mapping)).size === Object.keys(mapping).length, TEXTS.columnTwice)
    .transform((mapping): Mapping => mapping),
});
export type MapColumnsInput = z.output<typeof mapColumnsInput>;

export const fixRowInput = z.object({
  importId: opaqueId,
  number: rowNumber,
  fixes: z
    .partialRecord(
      z.enum(FIELDS),
      z
        .string()
        .max(CELL_MAX, TEXTS.fixTooLong)
        .transform((text) => text.toWellFormed().replaceAll("\0", "")),
    )
    .transform((fixes): Partial<Record<Field, string>> => fixes),
});
export type FixRowInput = z.output<typeof fixRowInput>;

/** `numbers`: null for all rows, or `"problems"` for those with problems. */
export const chooseRowsInput = z.object({
  importId: opaqueId,
  numbers: z.union([z.array(rowNumber).min(1).max(ROWS_MAX), z.literal("all"), z.literal("problems")]),
  isChosen: z.boolean(),
});
export type ChooseRowsInput = z.output<typeof chooseRowsInput>;

export const setScheduledInput = z.object({ importId: opaqueId, isScheduled: z.boolean() });
export type SetScheduledInput = z.output<typeof setScheduledInput>;

export const boardName = z
  .string()
  .transform((name) => visible(name).replaceAll(/\s+/g, " "))
  .refine((name) => name.length > 0 && name.length <= BOARD_NAME_MAX, TEXTS.boardNameInvalid);

export const createImportBoardInput = z.object({ importId: opaqueId, name: boardName });
export type CreateImportBoardInput = z.output<typeof createImportBoardInput>;

/** `numbers`: the shown rows whose images are being fetched or whose links are being checked. */
export const progressInput = z.object({
  importId: opaqueId,
  numbers: z.array(rowNumber).max(REVIEW_PAGE),
});
export type ProgressInput = z.output<typeof progressInput>;

export const importRequested = z.object({ importId: z.custom<ImportId>((value) => isId("import", value)) });
export type ImportRequested = z.output<typeof importRequested>;

/** GET /api/users/pinterest/pins-export/{accountId}/ */
export const exportInput = z.object({
  accountId: opaqueId,
  status: z.enum(EXPORT_STATUSES, `The status must be one of: ${EXPORT_STATUSES.join(", ")}.`),
  format: z.enum(EXPORT_FORMATS, `The format must be one of: ${EXPORT_FORMATS.join(", ")}.`).default("csv"),
});
export type ExportInput = z.output<typeof exportInput>;

interface FieldTextWire {
  field: Field;
  text: string;
}

export interface ReviewRowWire {
  number: number;
  is_chosen: boolean;
  is_changed: boolean;
  values: Record<Field, string>;
  board: string | null;
  board_id: string | null;
  scheduled_at: string | null;
  /** Null until its image is fetched, and without one. */
  image_url: string | null;
  image_state: "waiting" | "ready" | "none";
  /** As of a pin. The check runs until `link_checking` is false. */
  link_state: LinkState | null;
  link_warning: string | null;
  link_checking: boolean;
  /** Why its time breaks the account's safe pace. */
  pace_warning: string | null;
  problems: FieldTextWire[];
  notes: FieldTextWire[];
}

export interface ProgressWire {
  status: "review" | "creating" | "done";
  version: number;
  images_waiting: number;
  images_failed: number;
  /** Of the asked rows: images that are being fetched, and links that are being checked. */
  shown_waiting: number;
  shown_checking: number;
}

export interface ImportWire {
  id: string;
  status: "review" | "creating" | "done";
  /** Grows with each change of the user. */
  version: number;
  account_id: string;
  username: string;
  file_name: string;
  format: SheetFormat;
  headers: string[];
  /** Cells of the first rows, to show what a column has. */
  samples: string[][];
  mapping: Mapping;
  is_scheduled: boolean;
  time_zone: string;
  /** Why the last try created nothing. */
  reason: string | null;
  counts: {
    rows: number;
    chosen: number;
    /** Chosen rows with problems, and rows that were left out. */
    problems: number;
    left_out: number;
    images_waiting: number;
    images_failed: number;
    /** What the chosen rows would become. */
    drafts: number;
    scheduled: number;
    /** Those whose times break the account's safe pace. */
    too_fast: number;
  };
  /** Boards that rows name, the account doesn't have, and can be created: the first ones, and how many more. */
  missing_boards: { names: string[]; more: number };
  boards: { id: string; name: string }[];
  page: number;
  pages: number;
  rows: ReviewRowWire[];
  /** Once it is done. */
  created: { drafts: number; scheduled: number } | null;
}
