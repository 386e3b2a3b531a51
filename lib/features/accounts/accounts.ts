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
import type { ListBoardsInput } from "./schema.ts";

/** Answers of Pinterest kept in this process for at most a minute (D8). */
interface LiveReads<T> {
  /** The kept answer for an account, or a new one. Simultaneous readers share one call; failures are not kept. */
  read(ctx: Pick<Ctx, "now">, accountId: string, load: () => Promise<T>): Promise<T>;
}

interface Kept<T> {
  readAtMs: number;
  answer: Promise<T>;
}

const MAX_KEPT = 500;

/** A bounded memory of live reads, keyed by account; the oldest goes first. */
export const createLiveReads = <T>(): LiveReads<T> => {
  const kept = new Map<string, Kept<T>>();
  return {
    read: (ctx, accountId, load) => {
      const nowMs = ctx.now().getTime();
      const known = kept.get(accountId);
      const ageMs = known ? nowMs - known.readAtMs : Number.POSITIVE_INFINITY;
      if (known && ageMs >= 0 && ageMs < LIVE_READ_MS) return known.answer;
      const entry: Kept<T> = { readAtMs: nowMs, answer: load() };
      kept.delete(accountId);
      kept.set(accountId, entry);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      const forget = () => {
        if (kept.get(accountId) === entry) kept.delete(accountId);
      };
      entry.answer.catch(forget);
      return entry.answer;
    },
  };
};

/** A connected account with what Pinterest tells about it now; `profile` is null when it could not be read. */
export interface ListedAccount extends OwnedAccount {
  profile: PinterestProfile | null;
  profileUrl: string;
}

const profileReads = createLiveReads<PinterestProfile>();

/** Reads the profile and follows a changed username, which is stored for when Pinterest does not answer. */
const readProfile = async (ctx: Ctx<"pinterest">, account: OwnedAccount): Promise<PinterestProfile> => {
  const answer = await withAccessToken(ctx, account.id, (accessToken) => ctx.pinterest.readProfile(accessToken));
  if (answer.kind === "problem") throw toProviderError(answer.problem);
  const { username } = answer.value;
  if (username !== account.username) {
    await ctx.db.update(pinterestAccounts).set({ username }).where(eq(pinterestAccounts.id, account.id));
  }
  return answer.value;
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

/**
 * The actor's connected accounts with their live counts, read in parallel (R-ACC-01, R-ACC-02, D8). An account that
 * cannot be read has no profile, and never hides the others.
 */
export const listAccounts = async (ctx: Ctx<"pinterest">): Promise<ListedAccount[]> => {
  const accounts = await findOwnedAccounts(ctx);
  return Promise.all(accounts.map((account) => toListed(ctx, account)));
};

/** Erases the tokens of all the actor's accounts, and the consents under way. Belongs into a transaction. */
export const disconnectAll = async (tx: Ctx): Promise<void> => {
  for (const { id: accountId } of await findOwnedAccounts(tx)) await eraseTokens(tx, { accountId });
  await tx.db.delete(oauthStates).where(eq(oauthStates.userId, requireUserId(tx)));
};

/** Ends what was going on when a copy was made: consents, which may have been used since, and renewals of tokens. */
export const dropProgress = async (ctx: Ctx): Promise<void> => {
  await ctx.db.delete(oauthStates);
  await ctx.db
    .update(pinterestAccounts)
    .set({ refreshLease: null, refreshLeaseUntil: null })
    .where(isNotNull(pinterestAccounts.refreshLease));
};

const boardReads = createLiveReads<PinterestBoard[]>();

/**
 * All boards of one of the actor's accounts, secret ones among them, read live over all of Pinterest's pages
 * (R-BRD-02, R-BRD-07, D8).
 * @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused`.
 */
export const listBoards = async (ctx: Ctx<"pinterest">, input: ListBoardsInput): Promise<PinterestBoard[]> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return boardReads.read(ctx, account.id, async () => {
    const answer = await withAccessToken(ctx, account.id, (accessToken) => ctx.pinterest.listBoards(accessToken));
    if (answer.kind === "problem") throw toProviderError(answer.problem);
    return answer.value;
  });
};
