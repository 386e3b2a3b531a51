import "server-only";
import { eq } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { toAppError } from "#lib/core/errors.ts";
import type { PinterestProfile } from "#lib/integrations/pinterest/port.ts";
import { createLiveReads } from "./create-live-reads.ts";
import { toProviderError } from "./policy.ts";
import { findOwnedAccounts, type OwnedAccount } from "./queries.ts";
import { withAccessToken } from "./use-access-token.ts";

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
