import "server-only";
import { and, desc, eq, lt, ne, or } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type AccountId, type AttemptId, isId, type PinId, type UserId } from "#lib/core/ids.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { requireUserId } from "#lib/features/identity/policy.ts";
import type { PostFilter } from "./constants.ts";
import type { PostPosition } from "./policy.ts";

type Row = typeof pins.$inferSelect;

/** A pin of ours as the database holds it. */
export type Pin = Omit<Row, "id" | "userId" | "accountId"> & { id: PinId; userId: UserId; accountId: AccountId };

type AttemptRow = typeof publishAttempts.$inferSelect;

/** An attempt to publish a pin as the database holds it: its receipt. */
export type Attempt = Omit<AttemptRow, "id" | "pinId"> & { id: AttemptId; pinId: PinId };

/** Rows of this table hold ids that `createId` made. */
export const toPin = (row: Row): Pin => row as Pin;

/** The same for attempts. */
export const toOwnAttempt = (row: AttemptRow): Attempt => row as Attempt;

/**
 * The actor's pin with an id that came from outside, and its account's username (R-API-31).
 * @throws AppError `not_found`, the same for a foreign, absent or malformed id and for pins of a removed account.
 */
export const requireOwnedPin = async (ctx: Ctx, id: string): Promise<{ pin: Pin; username: string }> => {
  const userId = requireUserId(ctx);
  if (!isId("pin", id)) throw new AppError("not_found");
  const [row] = await ctx.db
    .select({ pin: pins, username: pinterestAccounts.username })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(eq(pins.id, id), eq(pins.userId, userId), ne(pinterestAccounts.status, "removed")));
  if (!row) throw new AppError("not_found");
  return { pin: toPin(row.pin), username: row.username };
};

interface PageOfPosts {
  filter: PostFilter;
  /** Only what comes after this position. */
  after: PostPosition | null;
  limit: number | undefined;
}

const comesAfter = (at: PostPosition) =>
  or(lt(pins.createdAt, at.createdAt), and(eq(pins.createdAt, at.createdAt), lt(pins.id, at.id)));

/** The pins of an account, newest first; without a limit all of them. */
export const findPosts = async (ctx: Ctx, accountId: OwnedAccountId, page: PageOfPosts): Promise<Pin[]> => {
  const query = ctx.db
    .select()
    .from(pins)
    .where(
      and(
        eq(pins.accountId, accountId),
        page.filter === "all" ? undefined : eq(pins.status, page.filter),
        page.after ? comesAfter(page.after) : undefined,
      ),
    )
    .orderBy(desc(pins.createdAt), desc(pins.id));
  const rows = await (page.limit === undefined ? query : query.limit(page.limit));
  return rows.map(toPin);
};

/** The attempts to publish a pin, newest first. */
export const findAttempts = async (ctx: Ctx, pinId: PinId): Promise<Attempt[]> => {
  const rows = await ctx.db
    .select()
    .from(publishAttempts)
    .where(eq(publishAttempts.pinId, pinId))
    .orderBy(desc(publishAttempts.number));
  return rows.map(toOwnAttempt);
};
