import "server-only";
import { and, count, eq, isNotNull, ne, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type AccountId, isId, type UserId } from "#lib/core/ids.ts";

/** Proves that ownership was checked for the actor. Only this file creates it. */
export type OwnedAccountId = AccountId & { readonly __owned: "account" };

export interface OwnedAccount {
  id: OwnedAccountId;
  pinterestUserId: string;
  username: string;
  status: "connected" | "reconnect_needed";
  pausedUntil: Date | null;
  /** Its own zone; null: its user's. */
  timeZone: string | null;
  connectedAt: Date;
}

const OWNED_COLUMNS = {
  id: pinterestAccounts.id,
  pinterestUserId: pinterestAccounts.pinterestUserId,
  username: pinterestAccounts.username,
  status: pinterestAccounts.status,
  pausedUntil: pinterestAccounts.pausedUntil,
  timeZone: pinterestAccounts.timeZone,
  connectedAt: pinterestAccounts.connectedAt,
};

type Row = Pick<typeof pinterestAccounts.$inferSelect, keyof typeof OWNED_COLUMNS>;

const isPresent = (row: Row): row is Row & { status: OwnedAccount["status"] } => row.status !== "removed";

const toOwnedAccount = (row: Row & { status: OwnedAccount["status"] }): OwnedAccount => ({
  ...row,
  id: row.id as OwnedAccountId,
});

const ownAccountsStatement = preparedOnce((db) =>
  db
    .select(OWNED_COLUMNS)
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.userId, sql.placeholder("userId")), ne(pinterestAccounts.status, "removed")))
    .orderBy(pinterestAccounts.connectedAt, pinterestAccounts.id)
    .prepare("own_accounts"),
);

export const findOwnedAccounts = async (ctx: Ctx): Promise<OwnedAccount[]> => {
  const rows = await ownAccountsStatement(ctx.db).execute({ userId: requireUserId(ctx) });
  return rows.filter(isPresent).map(toOwnedAccount);
};

const ownAccountStatement = preparedOnce((db) =>
  db
    .select(OWNED_COLUMNS)
    .from(pinterestAccounts)
    .where(
      and(eq(pinterestAccounts.id, sql.placeholder("id")), eq(pinterestAccounts.userId, sql.placeholder("userId"))),
    )
    .prepare("own_account"),
);

/** @throws AppError `not_found` for another user's, unknown, removed or malformed id; `unauthenticated` */
export const requireOwnedAccount = async (ctx: Ctx, id: string): Promise<OwnedAccount> => {
  const userId = requireUserId(ctx);
  if (!isId("account", id)) throw new AppError("not_found");
  const [row] = await ownAccountStatement(ctx.db).execute({ id, userId });
  if (!row || !isPresent(row)) throw new AppError("not_found");
  return toOwnedAccount(row);
};

/** By account: its own time zone, else its user's. Callers must have checked ownership. */
export const findTimeZones = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<Map<string, string>> => {
  const zone = sql<string>`coalesce(${pinterestAccounts.timeZone}, ${users.chosenTimeZone}, ${users.timeZone})`;
  const rows = await ctx.db
    .select({ id: pinterestAccounts.id, zone })
    .from(pinterestAccounts)
    .innerJoin(users, eq(users.id, pinterestAccounts.userId))
    .where(isAnyOf(pinterestAccounts.id, accountIds));
  return new Map(rows.map((row) => [row.id, row.zone]));
};

/** Whether the user granted a scope when the account was connected. */
export const hasScope = async (ctx: Ctx, accountId: OwnedAccountId, scope: string): Promise<boolean> => {
  const [row] = await ctx.db
    .select({ scopes: pinterestAccounts.scopes })
    .from(pinterestAccounts)
    .where(eq(pinterestAccounts.id, accountId));
  return row?.scopes.split(" ").includes(scope) ?? false;
};

/** Includes those that need reconnecting. */
export const countConnectedAccounts = async (ctx: Ctx, userId: UserId): Promise<number> => {
  const [row] = await ctx.db
    .select({ connected: count() })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.userId, userId), ne(pinterestAccounts.status, "removed")));
  return row?.connected ?? 0;
};

/** The sealed text doubles as a version. */
export interface StoredTokens {
  accountId: AccountId;
  accessTokenSealed: string;
  accessExpiresAt: Date;
  refreshExpiresAt: Date;
}

const tokensStatement = preparedOnce((db) =>
  db
    .select({
      accessTokenSealed: pinterestAccounts.accessTokenSealed,
      accessExpiresAt: pinterestAccounts.accessExpiresAt,
      refreshExpiresAt: pinterestAccounts.refreshExpiresAt,
    })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.id, sql.placeholder("accountId")), eq(pinterestAccounts.status, "connected")))
    .prepare("tokens"),
);

/** Callers must have checked ownership. */
export const findTokens = async (ctx: Ctx, accountId: AccountId): Promise<StoredTokens | null> => {
  const [row] = await tokensStatement(ctx.db).execute({ accountId });
  const { accessTokenSealed, accessExpiresAt, refreshExpiresAt } = row ?? {};
  if (!accessTokenSealed || !accessExpiresAt || !refreshExpiresAt) return null;
  return { accountId, accessTokenSealed, accessExpiresAt, refreshExpiresAt };
};

/** Compares key names only. */
export const countUnreadable = async (ctx: Ctx): Promise<number> => {
  const { accessTokenSealed: access, refreshTokenSealed: refresh } = pinterestAccounts;
  const head = (
    column: typeof access | typeof refresh,
  ) => sql<string>`split_part(coalesce(${column}, ''), '.', 1) || '.' ||
    split_part(coalesce(${column}, ''), '.', 2)`;
  const groups = await ctx.db
    .select({ access: head(access), refresh: head(refresh), accounts: sql<number>`count(*)`.mapWith(Number) })
    .from(pinterestAccounts)
    .where(or(isNotNull(access), isNotNull(refresh)))
    .groupBy(sql`1`, sql`2`);
  return groups
    .filter(({ access, refresh }) => ![access, refresh].every((text) => text === "." || ctx.sealer.canOpen(text)))
    .reduce((sum, { accounts }) => sum + accounts, 0);
};
