import type { FullCtx } from "#lib/context.ts";
import { finishConnection, startConnection } from "#lib/features/accounts/oauth-connection.ts";
import type { ConnectionOutcome } from "#lib/features/accounts/policy.ts";
import { findOwnedAccounts, type OwnedAccount } from "#lib/features/accounts/queries.ts";
import type { PinterestControl } from "./pinterest.ts";

/** Connects a Pinterest account through its consent page; returns the outcome. */
export const tryToConnect = async (
  ctx: FullCtx,
  pinterest: PinterestControl,
  username: string,
  options: { accountId?: string; scopes?: readonly string[] } = {},
): Promise<ConnectionOutcome> => {
  const started = await startConnection(ctx, options.accountId === undefined ? {} : { accountId: options.accountId });
  const returned = await pinterest.completeConsent(started.authUrl, {
    username,
    ...(options.scopes !== undefined && { scopes: options.scopes }),
  });
  return finishConnection(ctx, { ...returned, browserSecret: started.browserSecret });
};

/** Connects an account to the context's user; a new Pinterest account unless a username is given. */
export const connectAccount = async (
  ctx: FullCtx,
  pinterest: PinterestControl,
  username?: string,
): Promise<OwnedAccount> => {
  const name = username ?? (await pinterest.createAccount());
  const outcome = await tryToConnect(ctx, pinterest, name);
  const account = (await findOwnedAccounts(ctx)).find((candidate) => candidate.username === name);
  if (outcome.kind !== "connected" || !account) throw new Error(`Not connected: ${JSON.stringify(outcome)}`);
  return account;
};
