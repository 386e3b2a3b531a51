import "server-only";
import { and, desc, eq, getTableColumns, lt, ne, or, type SQL } from "drizzle-orm";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { type CsvCell, neutralize, toCsvText } from "#lib/core/text.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { listBoards } from "#lib/features/accounts/accounts.ts";
import { type OwnedAccount, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import { isFresh } from "#lib/features/analytics/queries.ts";
import { exportedImageUrl } from "#lib/features/pins/image-urls.ts";
import {
  EXPORT_PINS_MAX,
  type ExportStatus,
  PINTEREST_AHEAD_DAYS,
  PINTEREST_FILE_DAYS,
  PINTEREST_ROWS_MAX,
  TEXTS,
} from "./constants.ts";
import { OWN_COLUMNS, PINTEREST_COLUMNS } from "./engine/formats.ts";
import { toZonedText } from "./engine/times.ts";
import { zoneOf } from "./queries.ts";
import type { ExportInput } from "./schema.ts";
import { writeFileInThread } from "./sheet-thread.ts";

/** A file to download. `content`: text in pieces, or all bytes. */
interface ExportedFile {
  content: AsyncGenerator<string> | Uint8Array<ArrayBuffer>;
  contentType: string;
  fileName: string;
}

type PinRow = typeof pins.$inferSelect;
type Metrics = Record<"impressions" | "pinClicks" | "outboundClicks" | "saves", number[] | null>;
type ExportedPin = PinRow & { metrics: Metrics | null };

/** Pins per read. */
const PAGE = 500;

const hasStatus = (status: ExportStatus): SQL =>
  status === "all" ? ne(pins.status, "deleted") : eq(pins.status, status);

const readPage = (ctx: Ctx, account: OwnedAccount, status: ExportStatus, after: ExportedPin | undefined) => {
  const { impressions, pinClicks, outboundClicks, saves } = pinMetrics;
  const isAfter =
    after && or(lt(pins.createdAt, after.createdAt), and(eq(pins.createdAt, after.createdAt), lt(pins.id, after.id)));
  return ctx.db
    .select({ ...getTableColumns(pins), metrics: { impressions, pinClicks, outboundClicks, saves } })
    .from(pins)
    .leftJoin(pinMetrics, and(eq(pinMetrics.pinId, pins.id), isFresh(ctx)))
    .where(and(eq(pins.accountId, account.id), hasStatus(status), isAfter))
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(PAGE);
};

/** Newest first, page by page: an import gives them the same order. */
async function* readPins(ctx: Ctx, account: OwnedAccount, status: ExportStatus): AsyncGenerator<ExportedPin[]> {
  let last: ExportedPin | undefined;
  for (;;) {
    const page: ExportedPin[] = await readPage(ctx, account, status, last);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

/** @throws AppError `invalid` when there are more than a file may have */
const readAllPins = async (
  ctx: Ctx,
  account: OwnedAccount,
  status: ExportStatus,
  format: "xlsx" | "pinterest",
): Promise<ExportedPin[]> => {
  const all: ExportedPin[] = [];
  for await (const page of readPins(ctx, account, status)) {
    all.push(...page);
    const text = TEXTS.tooManyPins(format);
    if (all.length > EXPORT_PINS_MAX) throw new AppError("invalid", { text, fields: { format: [text] } });
  }
  return all;
};

interface ExportFrame {
  boardNames: ReadonlyMap<string, string>;
  timeZone: string;
  imageUrl: (pin: PinRow) => string;
  pinUrl: (pinterestPinId: string) => string;
}

/** Without Pinterest, boards have only their IDs; imports find them by these. */
const readBoardNames = async (ctx: Ctx<"pinterest">, { id }: OwnedAccount): Promise<Map<string, string>> => {
  try {
    return new Map((await listBoards(ctx, { accountId: id })).map((board) => [board.id, board.name]));
  } catch (thrown) {
    const { code } = toAppError(thrown);
    if (!["provider_unavailable", "provider_failed", "reconnect_needed"].includes(code)) throw thrown;
    ctx.log.set({ boards_problem: code });
    return new Map();
  }
};

const lastOf = (running: number[] | null | undefined): number | null => running?.at(-1) ?? null;

const isScheduled = ({ status }: PinRow): boolean => status === "scheduled";

/** In the order of `OWN_COLUMNS`. */
const toOwnCells = (pin: ExportedPin, frame: ExportFrame): CsvCell[] => {
  const { scheduledAt, publishedAt, pinterestPinId, metrics } = pin;
  const at = (time: Date | null): string => (time ? toZonedText(time, frame.timeZone) : "");
  return [
    ...[pin.title, pin.description, pin.link, frame.boardNames.get(pin.boardId) ?? "", pin.boardId],
    ...[pin.boardSectionId, frame.imageUrl(pin), pin.altText, pin.keyword, pin.source === "ai" ? "yes" : "no"],
    pin.format,
    ...[isScheduled(pin) ? at(scheduledAt) : "", frame.timeZone, pin.status, at(publishedAt)],
    pinterestPinId === null ? "" : frame.pinUrl(pinterestPinId),
    ...[lastOf(metrics?.impressions), lastOf(metrics?.pinClicks)],
    ...[lastOf(metrics?.outboundClicks), lastOf(metrics?.saves)],
  ];
};

const OWN_HEADER = OWN_COLUMNS.map(({ header }) => header);

async function* writeCsv(pages: AsyncGenerator<ExportedPin[]>, frame: ExportFrame): AsyncGenerator<string> {
  yield toCsvText([OWN_HEADER]);
  // The mark at the start of a text belongs to the file's first piece only.
  for await (const page of pages) yield toCsvText(page.map((pin) => toOwnCells(pin, frame))).slice(1);
}

const toPinterestCells = (pin: ExportedPin, frame: ExportFrame): string[] => {
  const local = isScheduled(pin) && pin.scheduledAt ? localTimeOf(pin.scheduledAt, frame.timeZone) : null;
  return [
    ...[pin.title, frame.imageUrl(pin), frame.boardNames.get(pin.boardId) ?? pin.boardId, ""],
    ...[pin.description, pin.link ?? "", local ? `${local.date}T${local.time}:00` : "", pin.keyword ?? ""],
  ];
};

interface PinterestFile<P> {
  /** Which 12-day period from now its pins are in, counted from 0. */
  period: number;
  titles: Set<string>;
  pins: P[];
}

const periodOf = (pin: PinRow, now: Date): number =>
  isScheduled(pin) && pin.scheduledAt
    ? Math.max(0, Math.floor((pin.scheduledAt.getTime() - now.getTime()) / (PINTEREST_FILE_DAYS * DAY_MS)))
    : 0;

/** Each pin goes into the first file for its 12-day period that has a free row and no pin with the same title. */
export const splitForPinterest = <P extends PinRow>(all: readonly P[], now: Date): PinterestFile<P>[] => {
  const files: PinterestFile<P>[] = [];
  for (const pin of all) {
    const period = periodOf(pin, now);
    const takes = (file: PinterestFile<P>): boolean =>
      file.period === period && file.pins.length < PINTEREST_ROWS_MAX && !file.titles.has(pin.title);
    const file = files.find(takes) ?? { period, titles: new Set(), pins: [] };
    if (file.pins.length === 0) files.push(file);
    file.pins.push(pin);
    file.titles.add(pin.title);
  }
  return files.toSorted((a, b) => a.period - b.period);
};

/** Without a byte order mark, which Pinterest takes for a part of the first column's name. */
const toPinterestCsv = (own: readonly ExportedPin[], frame: ExportFrame): string =>
  toCsvText([PINTEREST_COLUMNS, ...own.map((pin) => toPinterestCells(pin, frame))]).slice(1);

const CSV = "text/csv; charset=utf-8";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The first day at any time of which Pinterest takes all of a file's pins, in the account's zone; null for now. */
export const uploadDayOf = (own: readonly PinRow[], now: Date, timeZone: string): string | null => {
  const times = own.flatMap((pin) => (isScheduled(pin) && pin.scheduledAt ? [pin.scheduledAt.getTime()] : []));
  const takenFrom = new Date(Math.max(0, ...times) - PINTEREST_AHEAD_DAYS * DAY_MS);
  return takenFrom <= now ? null : shiftDay(localTimeOf(takenFrom, timeZone).date, 1);
};

const writePinterest = async (
  all: ExportedPin[],
  frame: ExportFrame,
  name: string,
  now: Date,
): Promise<ExportedFile> => {
  const files = splitForPinterest(all, now);
  const fileName = (start: string, own: readonly PinRow[]): string => {
    const day = uploadDayOf(own, now, frame.timeZone);
    return `${start}${day === null ? "" : `-upload-from-${day}`}.csv`;
  };
  if (files.length <= 1) {
    const text = toPinterestCsv(all, frame);
    const content = new TextEncoder().encode(text);
    return { content, contentType: CSV, fileName: fileName(`${name}-pinterest`, all) };
  }
  const named = files.map(({ pins: own }, index) => [
    fileName(`pinterest-${String(index + 1).padStart(2, "0")}`, own),
    toPinterestCsv(own, frame),
  ]);
  const content = await writeFileInThread({ kind: "zip", files: Object.fromEntries(named) });
  return { content, contentType: "application/zip", fileName: `${name}-pinterest.zip` };
};

const neutralCell = (cell: CsvCell): CsvCell => (typeof cell === "string" ? neutralize(cell) : cell);

const writeXlsx = async (all: readonly ExportedPin[], frame: ExportFrame, name: string): Promise<ExportedFile> => {
  const table = [OWN_HEADER, ...all.map((pin) => toOwnCells(pin, frame).map(neutralCell))];
  return { content: await writeFileInThread({ kind: "xlsx", table }), contentType: XLSX, fileName: `${name}.xlsx` };
};

/**
 * Pins of an account as a spreadsheet: complete (`csv`, `xlsx`), or in Pinterest's bulk format (`pinterest`), as a ZIP
 * file when it takes several. Importing a complete one gives the same pins.
 * @throws AppError `not_found`; `invalid` for more than 5,000 pins in a format other than CSV
 */
export const exportPins = async (ctx: Ctx<"pinterest">, input: ExportInput): Promise<ExportedFile> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  const [boardNames, timeZone] = await Promise.all([readBoardNames(ctx, account), zoneOf(ctx, account.id)]);
  const imageUrl = (pin: PinRow) => exportedImageUrl(ctx, pin);
  const frame = { boardNames, timeZone, imageUrl, pinUrl: ctx.pinterest.pinUrl };
  const { status, format } = input;
  const now = ctx.now();
  const name = `pins-${status}-${localTimeOf(now, timeZone).date}`;
  if (format === "csv") {
    return { content: writeCsv(readPins(ctx, account, status), frame), contentType: CSV, fileName: `${name}.csv` };
  }
  const all = await readAllPins(ctx, account, status, format);
  if (format === "xlsx") return writeXlsx(all, frame, name);
  // Pinterest's upload would need other files for videos, and has no carousels.
  const images = all.filter((pin) => pin.format === "image");
  return writePinterest(images, frame, name, now);
};
