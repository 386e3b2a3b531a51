import "server-only";
import { eq, isNotNull } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId, toAppError } from "#lib/core/errors.ts";
import type { PinterestBoard, PinterestProfile } from "#lib/integrations/pinterest/port.ts";
import { eraseTokens, withAccessToken } from "./access-tokens.ts";
import { LIVE_READ_MS } from "./constants.ts";
import { toProviderError } from "./policy.ts";
import { findOwnedAccounts, type OwnedAccount, requireOwnedAccount } from "./queries.ts";
import type { CreateBoardInput, ListBoardsInput } from "./schema.ts";

interface ReadCache<T> {
  /** Concurrent readers share one call; failures are not cached. */
  read(ctx: Pick<Ctx, "now">, accountId: string, load: () => Promise<T>): Promise<T>;
  /** The next reader loads again; other processes may still show the old value for a minute. */
  forget(accountId: string): void;
}

interface CacheEntry<T> {
  readAtMs: number;
  response: Promise<T>;
}

const MAX_ENTRIES = 500;

export const createReadCache = <T>(): ReadCache<T> => {
  const cache = new Map<string, CacheEntry<T>>();
  return {
    forget: (accountId) => void cache.delete(accountId),
    read: (ctx, accountId, load) => {
      const nowMs = ctx.now().getTime();
      const cached = cache.get(accountId);
      const ageMs = cached ? nowMs - cached.readAtMs : Number.POSITIVE_INFINITY;
      if (cached && ageMs >= 0 && ageMs < LIVE_READ_MS) return cached.response;
      const entry: CacheEntry<T> = { readAtMs: nowMs, response: load() };
      cache.delete(accountId);
      cache.set(accountId, entry);
      const [oldest] = cache.keys();
      if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
      const evict = () => {
        if (cache.get(accountId) === entry) cache.delete(accountId);
      };
      entry.response.catch(evict);
      return entry.response;
    },
  };
};

/** The profile is null when it could not be read. */
export interface ListedAccount extends OwnedAccount {
  profile: PinterestProfile | null;
  profileUrl: string;
}

const profileReads = createReadCache<PinterestProfile>();

const readProfile = async (ctx: Ctx<"pinterest">, account: OwnedAccount): Promise<PinterestProfile> => {
  const response = await withAccessToken(ctx, account.id, (accessToken) => ctx.pinterest.readProfile(accessToken));
  if (response.kind === "problem") throw toProviderError(response.problem);
  const { username } = response.value;
  if (username !== account.username) {
    await ctx.db.update(pinterestAccounts).set({ username }).where(eq(pinterestAccounts.id, account.id));
  }
  return response.value;
};

const toListed = async (ctx: Ctx<"pinterest">, account: OwnedAccount): Promise<ListedAccount> => {
  const profileUrl = ctx.pinterest.profileUrl(account.username);
  if (account.status !== "connected") return { ...account, profile: null, profileUrl };
  try {
    const profile = await profileReads.read(ctx, account.id, () => readProfile(ctx, account));
    const { username } = profile;
    return { ...account, username, profile, profileUrl: ctx.pinterest.profileUrl(username) };
  } catch (thrown) {
    const { code } = toAppError(thrown);
    ctx.log.count("profile_read_failures");
    ctx.log.set({ profile_read_failure: code });
    const status = code === "reconnect_needed" ? code : account.status;
    return { ...account, status, profile: null, profileUrl };
  }
};

export const listAccounts = async (ctx: Ctx<"pinterest">): Promise<ListedAccount[]> => {
  const accounts = await findOwnedAccounts(ctx);
  return Promise.all(accounts.map((account) => toListed(ctx, account)));
};

/** Call it in a transaction. */
export const disconnectAll = async (tx: Ctx): Promise<void> => {
  for (const { id: accountId } of await findOwnedAccounts(tx)) await eraseTokens(tx, { accountId });
  await tx.db.delete(oauthStates).where(eq(oauthStates.userId, requireUserId(tx)));
};

/** After a restore: consents may have been used since the backup. */
export const discardPendingConnections = async (ctx: Ctx): Promise<void> => {
  await ctx.db.delete(oauthStates);
  await ctx.db
    .update(pinterestAccounts)
    .set({ refreshLease: null, refreshLeaseUntil: null })
    .where(isNotNull(pinterestAccounts.refreshLease));
};

// Next bundles a module once per layer; a global makes a new board known to all of them.
const BOARDS_KEY = Symbol.for("app.board-reads");
const globals = globalThis as { [BOARDS_KEY]?: ReadCache<PinterestBoard[]> };
globals[BOARDS_KEY] ??= createReadCache<PinterestBoard[]>();
const boardReads = globals[BOARDS_KEY];

/** Includes secret ones. @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused` */
export const listBoards = async (ctx: Ctx<"pinterest">, input: ListBoardsInput): Promise<PinterestBoard[]> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return boardReads.read(ctx, account.id, async () => {
    const response = await withAccessToken(ctx, account.id, (accessToken) => ctx.pinterest.listBoards(accessToken));
    if (response.kind === "problem") throw toProviderError(response.problem);
    return response.value;
  });
};

/**
 * Creates a public board, or finds the one of that name, so that a repeated request creates no second one.
 * @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused`
 */
export const createBoard = async (ctx: Ctx<"pinterest">, input: CreateBoardInput): Promise<PinterestBoard> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  boardReads.forget(account.id);
  const isSame = ({ name }: PinterestBoard) => name.toLowerCase() === input.name.toLowerCase();
  const existing = (await listBoards(ctx, input)).find(isSame);
  if (existing) return existing;
  const response = await withAccessToken(ctx, account.id, (accessToken) =>
    ctx.pinterest.createBoard(accessToken, { name: input.name }),
  );
  boardReads.forget(account.id);
  if (response.kind === "problem") throw toProviderError(response.problem);
  return response.value;
};
