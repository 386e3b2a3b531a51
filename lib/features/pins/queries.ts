import "server-only";
import { and, desc, eq, inArray, ne, type Placeholder, type SQL } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins, pinWords } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { bulkSubmissions } from "#db/schema/submissions.ts";
import { containsWord } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type AccountId, type AttemptId, isId, type PinId, type UserId } from "#lib/core/ids.ts";
import { checkOfPin } from "#lib/features/links/queries.ts";
import type { KnownLink } from "#lib/features/links/schema.ts";
import { type PostFilter, type PostStatus, TEXTS } from "./constants.ts";

type Row = typeof pins.$inferSelect;

/** A pin of ours as the database holds it. */
export type Pin = Omit<Row, "id" | "userId" | "accountId"> & { id: PinId; userId: UserId; accountId: AccountId };

/** A pin that was not deleted: one that its owner sees. */
export type ShownPin = Omit<Pin, "status"> & { status: PostStatus };

type AttemptRow = typeof publishAttempts.$inferSelect;

/** An attempt to publish a pin as the database holds it: its receipt. */
export type Attempt = Omit<AttemptRow, "id" | "pinId"> & { id: AttemptId; pinId: PinId };

/** Rows of this table hold ids that `createId` made. */
export const toPin = (row: Row): Pin => row as Pin;

export const isShownPin = (pin: Pin): pin is ShownPin => pin.status !== "deleted";

/** A row that was read in a state which its owner sees. @throws AppError `internal` when it was not. */
export const toShownPin = (row: Row): ShownPin => {
  const pin = toPin(row);
  if (!isShownPin(pin)) throw new AppError("internal", { cause: new Error(`Pin ${pin.id} is deleted.`) });
  return pin;
};

/** What every read of pins asks for that names no state: those that wait to be swept are gone for everybody. */
export const isShown = ne(pins.status, "deleted");

/** The same for attempts. */
export const toOwnAttempt = (row: AttemptRow): Attempt => row as Attempt;

/** What was found behind a pin's link; null without one, and before anybody looked. */
export interface LinkFound {
  linkCheck: KnownLink | null;
}

/** What is shown of a pin's account. */
export interface ShownAccount {
  username: string;
  status: (typeof pinterestAccounts.$inferSelect)["status"];
}

/** The columns that this takes. */
export const ACCOUNT_COLUMNS = { username: pinterestAccounts.username, status: pinterestAccounts.status };

/**
 * The actor's pin with an id that came from outside, what was found behind its link, and its account (R-API-31).
 * @throws AppError `not_found`, the same for a foreign, absent or malformed id, for deleted pins and those of a removed account.
 */
export const requireOwnedPin = async (
  ctx: Ctx,
  id: string,
): Promise<{ pin: ShownPin & LinkFound; account: ShownAccount }> => {
  const userId = requireUserId(ctx);
  if (!isId("pin", id)) throw new AppError("not_found");
  const [row] = await ctx.db
    .select({ pin: pins, linkCheck: checkOfPin, account: ACCOUNT_COLUMNS })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(eq(pins.id, id), eq(pins.userId, userId), isShown, ne(pinterestAccounts.status, "removed")));
  if (!row) throw new AppError("not_found");
  return { pin: { ...toShownPin(row.pin), linkCheck: row.linkCheck }, account: row.account };
};

/** What a post's answer needs, and no more: where there are many, each column counts. */
export const POST_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  boardId: pins.boardId,
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
  placeholder: pins.placeholder,
  review: pins.review,
  template: pins.template,
  linkCheck: checkOfPin,
};

/** A pin as lists show it. */
export type Post = Pick<ShownPin, Extract<keyof typeof POST_COLUMNS, keyof ShownPin>> & LinkFound;

/** The same with the actor's account that it belongs to. */
export type OwnPost = Post & { account: ShownAccount };

/** An account and who asks for it, as values or as places in a statement for them. */
export interface OwnAccount {
  userId: UserId | Placeholder;
  accountId: string | Placeholder;
}

/** What of an account of the actor's is asked for; none where it is not theirs. */
export const ownPostsWhere = (own: OwnAccount, filter: PostFilter, words: readonly string[]): SQL | undefined =>
  and(
    eq(pins.accountId, own.accountId),
    eq(pinterestAccounts.userId, own.userId),
    ne(pinterestAccounts.status, "removed"),
    filter === "all" ? isShown : eq(pins.status, filter),
    ...words.map((word) => containsWord(pinWords(pins), word)),
  );

/** The attempts to publish a pin, newest first. */
export const findAttempts = async (ctx: Ctx, pinId: PinId): Promise<Attempt[]> => {
  const rows = await ctx.db
    .select()
    .from(publishAttempts)
    .where(eq(publishAttempts.pinId, pinId))
    .orderBy(desc(publishAttempts.number));
  return rows.map(toOwnAttempt);
};

/** The actor's pins with these ids, in the order of the ids; those that are gone are left out. */
export const findPostsById = async (ctx: Ctx, ids: readonly string[]): Promise<Post[]> => {
  const rows = await ctx.db
    .select(POST_COLUMNS)
    .from(pins)
    .where(and(inArray(pins.id, [...ids]), eq(pins.userId, requireUserId(ctx)), isShown));
  // Rows of this table hold ids that `createId` made.
  const found = new Map(rows.map((row) => [row.id, row as Post]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

/**
 * The pins that the actor made under this key before; null when there were none.
 * @throws AppError `wrong_state` when they were other pins than these.
 */
export const findSubmission = async (ctx: Ctx, asked: { key: string; digest: string }): Promise<string[] | null> => {
  const [row] = await ctx.db
    .select({ digest: bulkSubmissions.digest, pinIds: bulkSubmissions.pinIds })
    .from(bulkSubmissions)
    .where(and(eq(bulkSubmissions.userId, requireUserId(ctx)), eq(bulkSubmissions.key, asked.key)));
  if (!row) return null;
  if (row.digest !== asked.digest) throw new AppError("wrong_state", { text: TEXTS.keyUsed });
  return row.pinIds;
};
