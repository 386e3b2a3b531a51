import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";

export const IMPORT_PATH = "/app/import";
export const UPLOAD_PATH = "/api/users/pinterest/imports/";

export const SHEET_BYTES_MAX = 20_000_000;
export const ROWS_MAX = 5_000;
export const COLUMNS_MAX = 60;
/** Longer than any field of a pin, so that a too long text is shown as such. */
export const CELL_MAX = 10_000;
/** Text of all cells together. */
export const CELLS_MAX = 30_000_000;
/** Bytes of an XLSX file's parts after inflating, and how many times larger than the file they may be. */
export const XLSX_INFLATED_MAX = 150_000_000;
export const XLSX_PARTS_MAX = 2_000;
export const RATIO_MAX = 200;

/** The ZIP file with images. */
export const ZIP_BYTES_MAX = 500_000_000;
export const ZIP_FILES_MAX = 1_000;
/** With folders and files that aren't images. */
export const ZIP_ENTRIES_MAX = 10_000;
export const ZIP_INFLATED_MAX = 1_000_000_000;

export const SHEET_PART = "sheet";
export const IMAGES_PART = "images";

/** What a column of a sheet may mean, in the order of the screen. */
export const FIELDS = [
  "title",
  "description",
  "link",
  "board",
  "boardId",
  "boardSectionId",
  "image",
  "altText",
  "publishAt",
  "publishTime",
  "keyword",
  "aiImage",
  "format",
] as const;
export type Field = (typeof FIELDS)[number];

export const FIELD_LABELS: Record<Field, string> = {
  title: "Title",
  description: "Description",
  link: "Link",
  board: "Board",
  boardId: "Board ID",
  boardSectionId: "Board section ID",
  image: "Image (URL or file name)",
  altText: "Alt text",
  publishAt: "Publish date",
  publishTime: "Publish time",
  keyword: "Keyword",
  aiImage: "AI image (yes or no)",
  format: "Pin format",
};

export const FORMATS = ["own", "pinterest", "tailwind", "canva", "other"] as const;
export type SheetFormat = (typeof FORMATS)[number];

export const FORMAT_LABELS: Record<SheetFormat, string | null> = {
  own: "an export from this app",
  pinterest: "Pinterest's bulk format",
  tailwind: "a Tailwind export",
  canva: "a Canva export",
  other: null,
};

export const KEYWORD_MAX = 200;

/** A run that was silent for this long is started again. */
export const RUN_LOST_MS = 2 * MINUTE_MS;
/** One step of a run goes on with further images for this long. */
export const FETCH_STEP_MS = 15 * SECOND_MS;
export const FETCH_BATCH = 12;
/** While our server is offline, images are tried again for this long after the user's last change. */
export const OFFLINE_WAIT_MS = 10 * MINUTE_MS;
export const FETCHES_AT_ONCE = 4;
export const SWEEP_BATCH = 100;

export const REVIEW_FILTERS = ["all", "problems", "left_out"] as const;
export type ReviewFilter = (typeof REVIEW_FILTERS)[number];
export const REVIEW_PAGE = 50;

export const SHEET_FAULTS = {
  empty: "There are no rows in this sheet. Put the column names in the first row and one pin in each row below.",
  no_rows: "There is only one row. Put the column names in the first row and one pin in each row below.",
  too_many_rows: "Spreadsheets can have up to 5,000 rows. Split this one and import each part separately.",
  too_many_columns: "Spreadsheets can have up to 60 columns. Remove those you don't need and try again.",
  cell_too_long: "A cell has more than 10,000 characters. Shorten it and try again.",
  too_much_text: "This sheet has too much text. Split it and import each part separately.",
  old_excel: "This is an old Excel file. Save it as .xlsx or CSV, then import the new file.",
  not_a_sheet: "This file isn't a spreadsheet we can read. Save it as .xlsx or CSV and try again.",
  protected: "This file has a password. Save a copy without it and try again.",
  bomb: "This file is too large when unpacked, so we didn't open it. Save it as CSV and try again.",
  entities:
    "This file contains XML declarations that spreadsheets don't need, so we didn't open it. Save it as CSV and try again.",
  bad_path: "This file has unsafe paths, so we didn't open it. Save it as CSV and try again.",
  broken: "This file is damaged. Export it again, then import the new file.",
  too_slow: "This file took too long to read. Save it as CSV and try again.",
} as const;
export type SheetFault = keyof typeof SHEET_FAULTS;

export const ZIP_FAULTS = {
  not_a_zip: "The images must be in a ZIP file.",
  broken: "The ZIP file is damaged. Create it again and try again.",
  encrypted: "The ZIP file has a password. Create it without one and try again.",
  too_many_entries: "The ZIP file can have up to 10,000 files. Remove those that aren't images and try again.",
  too_many_files: "The ZIP file can have up to 1,000 images. Split the import into parts.",
  file_too_large: "An image in the ZIP file is larger than 32 MB. Make it smaller and try again.",
  bomb: "The ZIP file is too large when unpacked. Use smaller images and try again.",
  bad_path: "The ZIP file has unsafe paths. Create it again, then try again.",
  same_name: "Two images in the ZIP file have the same name. Rename one of them and try again.",
  empty: "There are no images in the ZIP file. Add them and try again.",
} as const;
export type ZipFault = keyof typeof ZIP_FAULTS;

export const ZIP_FILE_BYTES_MAX = IMAGE_BYTES_MAX;

export const TEXTS = {
  formatNotImported: "Only images can be imported. Create videos and carousels in Manual Pin Creation.",
  boardsUnknown: "Pinterest isn't responding, so we can't check the board. Try again in a minute.",
  boardMissing: "Choose a board.",
  boardIdUnknown: "This account has no board with this ID. Choose a board.",
  boardUnknown: (name: string) => `This account has no board named “${name}”. Choose one, or create it.`,
  boardNotCreatable:
    "This account has no board with this name, and the name is too long to create one (50 characters at most). Choose another board.",
  boardTwice: (name: string) => `This account has several boards named “${name}”. Choose one.`,
  boardNameInvalid: "Board names must have 1 to 50 characters.",
  imageMissing: "Add an image URL, or the name of an image in the ZIP file.",
  imageUrlInvalid: "Enter a complete image URL that starts with https://.",
  imageNotInZip: (name: string) =>
    `There is no image named “${name}”. Enter its URL, starting with https://, or add a ZIP file that contains it.`,
  imageUnreadable: "We couldn't read this image. Save it as a JPG or PNG and use the new file.",
  noTime: "No publish date, so this row becomes a draft.",
  dateOnly: "No publish time, so we'll use 12:00 PM.",
  clockSkipped: "Clocks spring forward then, so this time doesn't exist. We'll publish it just after the change.",
  clockRepeated: "Clocks fall back then, so this time happens twice. We'll use the first one.",
  timeUnreadable: "We can't read this date. Write it as 2026-12-31 15:30.",
  sheetNeeded: "Choose a spreadsheet, or paste its rows.",
  sheetTooLarge: "Spreadsheets can be up to 20 MB.",
  zipTooLarge: "The ZIP file can be up to 500 MB.",
  notInReview: "This import was started or discarded, so it can't be changed. Reload the page to see where it stands.",
  changedSince: "This import was changed after you opened it. Check its rows, then create the pins.",
  notCreating: "These pins are no longer being created. Reload the page to see the result.",
  stillCreating: "The pins from your last import are still being created. Wait until that's done.",
  noRows: "Select at least one row.",
  rowsInvalid: (count: number) =>
    count === 1
      ? "One of the selected rows has a problem. Fix it or skip it."
      : `${count} selected rows have problems. Fix them or skip them.`,
  failedLater: (number: number, text: string) => `Nothing was created. Row ${number}: ${text}`,
  fieldUnknown: "Choose a column of this sheet.",
  fixTooLong: "This text is too long.",
  columnTwice: "Use each column for only one field.",
  tooManyPins: (format: "xlsx" | "pinterest") =>
    `${format === "xlsx" ? "Excel files" : "Exports in Pinterest's bulk format"} can have up to 5,000 pins. Export as CSV, or export one status at a time.`,
} as const;

/** Why an image couldn't be fetched. */
export const IMAGE_TEXTS = {
  page: "This URL leads to a web page, not an image. It may need a login. Use the image's own URL.",
  login: "This site won't let us load the image. It may need a login. Use a public URL.",
  gone: "There is no image at this URL anymore.",
  status: (status: number) =>
    `The site refused to send this image (error ${status}). Use another URL, or add the image in a ZIP file.`,
  too_large: "Images can be up to 32 MB.",
  too_many_redirects: "This URL redirects too many times. Use the image's final URL.",
  no_host: "This URL doesn't exist. Check it for typos.",
  no_answer: "The site didn't respond in time. Try again later.",
  untrusted: "The site's certificate isn't valid, so we didn't download the image. Use an image on another site.",
  refused: "This URL isn't public. Use an image URL that anyone can open.",
  no_route: "Our server can't reach this site. Use an image on another site.",
  offline: "We couldn't download the image. Try again in a minute.",
} as const;

export const EXPORT_FORMATS = ["csv", "xlsx", "pinterest"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATUSES = ["draft", "scheduled", "published", "failed", "all"] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** Pins in one XLSX or Pinterest export: as many as one import takes. */
export const EXPORT_PINS_MAX = ROWS_MAX;

/**
 * Limits of Pinterest's bulk format. Its documentation names no numbers for these that we could quote; these are what
 * users of the Pin Builder report: 100 rows, 14 days ahead, and no title twice. Smaller files are always accepted.
 */
export const PINTEREST_ROWS_MAX = 100;
export const PINTEREST_AHEAD_DAYS = 14;
/** Two days less, so that the whole upload day is before the file's first pin is due. */
export const PINTEREST_FILE_DAYS = PINTEREST_AHEAD_DAYS - 2;
