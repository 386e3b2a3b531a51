import "server-only";
import { and, desc, eq, ne, type Placeholder, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinSlides, pinVideos } from "#db/schema/formats.ts";
import { pinSearchText, pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { containsWord, isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type AccountId, type AttemptId, isId, type PinId, type UserId } from "#lib/core/ids.ts";
import { checkOfPin } from "#lib/features/links/queries.ts";
import type { KnownLink } from "#lib/features/links/schema.ts";
import { type PinFilter, type PinStatus, TEXTS } from "./constants.ts";

type Row = typeof pins.$inferSelect;

export type Pin = Omit<Row, "id" | "userId" | "accountId"> & { id: PinId; userId: UserId; accountId: AccountId };

type VisiblePin = Omit<Pin, "status"> & { status: PinStatus };

type AttemptRow = typeof publishAttempts.$inferSelect;

export type Attempt = Omit<AttemptRow, "id" | "pinId"> & { id: AttemptId; pinId: PinId };

/** The cast is safe: `createId` makes all ids of this table. */
export const toPin = (row: Row): Pin => row as Pin;

export const isVisiblePin = (pin: Pin): pin is VisiblePin => pin.status !== "deleted";

/** @throws AppError `internal` when the pin is deleted */
const toVisiblePin = (row: Row): VisiblePin => {
  const pin = toPin(row);
  if (!isVisiblePin(pin)) throw new AppError("internal", { cause: new Error(`Pin ${pin.id} is deleted.`) });
  return pin;
};

/** The condition of every query that has no other status filter: deleted pins wait to be purged. */
export const isVisible = ne(pins.status, "deleted");

/** The cast is safe: `createId` makes all ids of this table. */
export const toOwnAttempt = (row: AttemptRow): Attempt => row as Attempt;

interface ReadWithPin {
  /** Null without a link and before the first check. */
  linkCheck: KnownLink | null;
  /** Whether it was generated for a page, and what was taken from there is still known. */
  isFromPage: boolean;
}

/**
 * In a query on `pins`. Uses the unique index on the task's pin: the planner could answer an `exists` for many pins with a
 * scan of all tasks.
 */
const isFromPage = sql<boolean>`coalesce((select true from generation_tasks where pin_id = pins.id and page is not null), false)`;

/** What a pin is shown with, besides its own columns. */
export const READ_WITH_PIN = { linkCheck: checkOfPin, isFromPage };

export interface AccountSummary {
  username: string;
  status: (typeof pinterestAccounts.$inferSelect)["status"];
}

export const ACCOUNT_COLUMNS = { username: pinterestAccounts.username, status: pinterestAccounts.status };

const isOwnedPin = and(
  eq(pins.id, sql.placeholder("id")),
  eq(pins.userId, sql.placeholder("userId")),
  isVisible,
  ne(pinterestAccounts.status, "removed"),
);

const ownedPinStatement = preparedOnce((db) =>
  db
    .select({ pin: pins, ...READ_WITH_PIN, account: ACCOUNT_COLUMNS })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(isOwnedPin)
    .prepare("owned_pin"),
);

/** @throws AppError `not_found` for a missing, deleted or another user's pin, or of a removed account */
export const requireOwnedPin = async (
  ctx: Ctx,
  id: string,
): Promise<{ pin: VisiblePin & ReadWithPin; account: AccountSummary }> => {
  const userId = requireUserId(ctx);
  if (!isId("pin", id)) throw new AppError("not_found");
  const [row] = await ownedPinStatement(ctx.db).execute({ id, userId });
  if (!row) throw new AppError("not_found");
  const { pin, account, ...read } = row;
  return { pin: { ...toVisiblePin(pin), ...read }, account };
};

/** Only the columns that `PinWire` needs, which keeps long lists fast. */
export const PIN_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  boardId: pins.boardId,
  boardSectionId: pins.boardSectionId,
  title: pins.title,
  description: pins.description,
  altText: pins.altText,
  link: pins.link,
  keyword: pins.keyword,
  imageKey: pins.imageKey,
  status: pins.status,
  scheduledAt: pins.scheduledAt,
  publishedAt: pins.publishedAt,
  pinterestPinId: pins.pinterestPinId,
  reason: pins.reason,
  mayBePublished: pins.mayBePublished,
  createdAt: pins.createdAt,
  source: pins.source,
  format: pins.format,
  placeholder: pins.placeholder,
  review: pins.review,
  template: pins.template,
  ...READ_WITH_PIN,
};

export type ListedPin = Pick<VisiblePin, Extract<keyof typeof PIN_COLUMNS, keyof VisiblePin>> & ReadWithPin;

export type PinWithAccount = ListedPin & { account: AccountSummary };

export interface OwnedAccountScope {
  userId: UserId | Placeholder;
  accountId: string | Placeholder;
}

/** The condition for pins of an account that match a filter and all words; matches nothing if the account is not the user's. */
export const ownedPinsWhere = (own: OwnedAccountScope, filter: PinFilter, words: readonly string[]): SQL | undefined =>
  and(
    eq(pins.accountId, own.accountId),
    eq(pinterestAccounts.userId, own.userId),
    ne(pinterestAccounts.status, "removed"),
    filter === "all" ? isVisible : eq(pins.status, filter),
    ...words.map((word) => containsWord(pinSearchText(pins), word)),
  );

export type PinSlide = typeof pinSlides.$inferSelect;
export type PinVideo = typeof pinVideos.$inferSelect;

/** The slides of these carousels, in order; other pins have none. */
export const findSlides = (ctx: Ctx, pinIds: readonly string[]): Promise<PinSlide[]> =>
  ctx.db.select().from(pinSlides).where(isAnyOf(pinSlides.pinId, pinIds)).orderBy(pinSlides.pinId, pinSlides.position);

export const findVideos = (ctx: Ctx, pinIds: readonly string[]): Promise<PinVideo[]> =>
  ctx.db.select().from(pinVideos).where(isAnyOf(pinVideos.pinId, pinIds));

/** The storage keys of these pins' slides and videos, besides those of the pins' own rows. */
export const findFormatKeys = async (ctx: Ctx, pinIds: readonly string[]): Promise<string[]> => {
  const [slides, videos] = [await findSlides(ctx, pinIds), await findVideos(ctx, pinIds)];
  return [...slides.map(({ imageKey }) => imageKey), ...videos.map(({ videoKey }) => videoKey)];
};

const pinWithAttemptsStatement = preparedOnce((db) =>
  db
    .select({ pin: PIN_COLUMNS, account: ACCOUNT_COLUMNS, attempt: publishAttempts })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .leftJoin(publishAttempts, eq(publishAttempts.pinId, pins.id))
    .where(isOwnedPin)
    .orderBy(desc(publishAttempts.number))
    .prepare("pin_with_attempts"),
);

/** Like {@link requireOwnedPin}, with the attempts, the latest first, in the same query. @throws AppError `not_found` */
export const requirePinWithAttempts = async (
  ctx: Ctx,
  id: string,
): Promise<{ pin: ListedPin; account: AccountSummary; attempts: Attempt[] }> => {
  const userId = requireUserId(ctx);
  if (!isId("pin", id)) throw new AppError("not_found");
  const rows = await pinWithAttemptsStatement(ctx.db).execute({ id, userId });
  const [first] = rows;
  if (!first) throw new AppError("not_found");
  const attempts = rows.flatMap(({ attempt }) => (attempt ? [toOwnAttempt(attempt)] : []));
  return { pin: first.pin as ListedPin, account: first.account, attempts };
};

const attemptsStatement = preparedOnce((db) =>
  db
    .select()
    .from(publishAttempts)
    .where(eq(publishAttempts.pinId, sql.placeholder("pinId")))
    .orderBy(desc(publishAttempts.number))
    .prepare("attempts"),
);

/** The latest first. */
export const findAttempts = async (ctx: Ctx, pinId: PinId): Promise<Attempt[]> => {
  const rows = await attemptsStatement(ctx.db).execute({ pinId });
  return rows.map(toOwnAttempt);
};

/** The actor's pins with these ids, in that order; deleted and unknown ones are left out. */
export const findPinsById = async (ctx: Ctx, ids: readonly string[]): Promise<ListedPin[]> => {
  const rows = await ctx.db
    .select(PIN_COLUMNS)
    .from(pins)
    .where(and(isAnyOf(pins.id, ids), eq(pins.userId, requireUserId(ctx)), isVisible));
  const found = new Map(rows.map((row) => [row.id, row as ListedPin]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

/** Null for a new key. @throws AppError `wrong_state` when that submission had other content */
/** Whether the user made a request with this key; it may have had other content. */
export const wasSubmitted = async (ctx: Ctx, key: string): Promise<boolean> =>
  (await ctx.db.$count(
    bulkSubmissions,
    and(eq(bulkSubmissions.userId, requireUserId(ctx)), eq(bulkSubmissions.key, key)),
  )) > 0;

export const findSubmission = async (
  ctx: Ctx,
  submission: { key: string; digest: string },
): Promise<string[] | null> => {
  const [row] = await ctx.db
    .select({ digest: bulkSubmissions.digest, pinIds: bulkSubmissions.pinIds })
    .from(bulkSubmissions)
    .where(and(eq(bulkSubmissions.userId, requireUserId(ctx)), eq(bulkSubmissions.key, submission.key)));
  if (!row) return null;
  if (row.digest !== submission.digest) throw new AppError("wrong_state", { text: TEXTS.keyUsed });
  return row.pinIds;
};
