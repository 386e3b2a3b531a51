import "server-only";
import { eq, isNotNull } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId, toAppError } from "#lib/core/errors.ts";
import type {
  PinterestBoard,
  PinterestProfile,
  PinterestResult,
  PinterestSection,
} from "#lib/integrations/pinterest/port.ts";
import { eraseTokens, withAccessToken } from "./access-tokens.ts";
import { LIVE_READ_MS } from "./constants.ts";
import { toProviderError } from "./policy.ts";
import { findOwnedAccounts, type OwnedAccount, requireOwnedAccount } from "./queries.ts";
import type { CreateBoardInput, CreateSectionInput, ListBoardsInput, ListSectionsInput } from "./schema.ts";

interface ReadCache<T> {
  /** Concurrent readers share one call; failures are not cached. */
  read(ctx: Pick<Ctx, "now">, key: string, load: () => Promise<T>): Promise<T>;
  /** The next reader loads again; other processes may still show the old value. */
  forget(key: string): void;
}

interface CacheEntry<T> {
  readAtMs: number;
  response: Promise<T>;
}

const MAX_ENTRIES = 500;

/** A scope of its own, so that the timer does not hold a response that was dropped earlier. */
const dropLater = <T>(cache: Map<string, CacheEntry<T>>, key: string, readAtMs: number, keptMs: number): void => {
  const drop = () => {
    if (cache.get(key)?.readAtMs === readAtMs) cache.delete(key);
  };
  setTimeout(drop, keptMs).unref();
};

/** In this process only, and for `keptMs` at most. Beyond `entriesMax` the entry that was read least recently is dropped. */
export const createReadCache = <T>({
  keptMs = LIVE_READ_MS,
  entriesMax = MAX_ENTRIES,
}: {
  keptMs?: number;
  entriesMax?: number;
} = {}): ReadCache<T> => {
  const cache = new Map<string, CacheEntry<T>>();
  return {
    forget: (key) => void cache.delete(key),
    read: (ctx, key, load) => {
      const nowMs = ctx.now().getTime();
      const cached = cache.get(key);
      const ageMs = cached ? nowMs - cached.readAtMs : Number.POSITIVE_INFINITY;
      const isFresh = cached && ageMs >= 0 && ageMs < keptMs;
      const entry: CacheEntry<T> = isFresh ? cached : { readAtMs: nowMs, response: load() };
      cache.delete(key);
      cache.set(key, entry);
      if (isFresh) return entry.response;
      dropLater(cache, key, nowMs, keptMs);
      const [oldest] = cache.keys();
      if (cache.size > entriesMax && oldest !== undefined) cache.delete(oldest);
      const evict = () => {
        if (cache.get(key) === entry) cache.delete(key);
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

/** @throws AppError `not_found` unless it is the user's */
export const readAccount = async (
  ctx: Ctx<"pinterest">,
  { accountId }: { accountId: string },
): Promise<ListedAccount> => toListed(ctx, await requireOwnedAccount(ctx, accountId));

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

interface BoardCaches {
  boards: ReadCache<PinterestBoard[]>;
  /** By account and board. */
  sections: ReadCache<PinterestSection[]>;
}

// Next bundles a module once per layer; a global makes a new board known to all of them.
const BOARDS_KEY = Symbol.for("app.board-reads");
const globals = globalThis as { [BOARDS_KEY]?: BoardCaches };
globals[BOARDS_KEY] ??= { boards: createReadCache(), sections: createReadCache() };
const { boards: boardReads, sections: sectionReads } = globals[BOARDS_KEY];

const requireConnected = async (ctx: Ctx, accountId: string): Promise<OwnedAccount> => {
  const account = await requireOwnedAccount(ctx, accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account;
};

type Call<T> = (accessToken: string) => Promise<PinterestResult<T>>;

const callFor = async <T>(ctx: Ctx<"pinterest">, { id }: OwnedAccount, call: Call<T>): Promise<T> => {
  const response = await withAccessToken(ctx, id, call);
  if (response.kind === "problem") throw toProviderError(response.problem);
  return response.value;
};

/** Includes secret ones. @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused` */
export const listBoards = async (ctx: Ctx<"pinterest">, input: ListBoardsInput): Promise<PinterestBoard[]> => {
  const account = await requireConnected(ctx, input.accountId);
  return boardReads.read(ctx, account.id, () => callFor(ctx, account, (token) => ctx.pinterest.listBoards(token)));
};

const isNamed =
  (wanted: string) =>
  ({ name }: { name: string }): boolean =>
    name.toLowerCase() === wanted.toLowerCase();

/**
 * Creates a public board, or finds the one of that name, so that a repeated request creates no second one.
 * @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused`
 */
export const createBoard = async (ctx: Ctx<"pinterest">, input: CreateBoardInput): Promise<PinterestBoard> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  boardReads.forget(account.id);
  const existing = (await listBoards(ctx, input)).find(isNamed(input.name));
  if (existing) return existing;
  try {
    return await callFor(ctx, account, (token) => ctx.pinterest.createBoard(token, { name: input.name }));
  } finally {
    boardReads.forget(account.id);
  }
};

const sectionsKey = (accountId: string, boardId: string): string => `${accountId} ${boardId}`;

/** The sections of a board. @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused` */
export const listSections = async (
  ctx: Ctx<"pinterest">,
  { accountId, boardId }: ListSectionsInput,
): Promise<PinterestSection[]> => {
  const account = await requireConnected(ctx, accountId);
  return sectionReads.read(ctx, sectionsKey(account.id, boardId), () =>
    callFor(ctx, account, (token) => ctx.pinterest.listBoardSections(token, boardId)),
  );
};

/** The next check of these places reads them again: another process may have created one a moment ago. */
export const forgetPlaces = (accountId: string, boardIds: readonly string[]): void => {
  boardReads.forget(accountId);
  for (const boardId of boardIds) sectionReads.forget(sectionsKey(accountId, boardId));
};

/** Like {@link createBoard}, for a section of a board. @throws AppError like `listSections` */
export const createSection = async (ctx: Ctx<"pinterest">, input: CreateSectionInput): Promise<PinterestSection> => {
  const { boardId, name } = input;
  const account = await requireOwnedAccount(ctx, input.accountId);
  const key = sectionsKey(account.id, boardId);
  sectionReads.forget(key);
  const existing = (await listSections(ctx, input)).find(isNamed(name));
  if (existing) return existing;
  try {
    return await callFor(ctx, account, (token) => ctx.pinterest.createBoardSection(token, { boardId, name }));
  } finally {
    sectionReads.forget(key);
  }
};
