import type { FullCtx } from "#lib/context.ts";
import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import type { PinterestControl } from "./pinterest.ts";

/** Takes a new Pinterest account through the consent, up to the redirect to us. */
export const beginConnection = async (ctx: FullCtx, pinterest: PinterestControl) => {
  const username = await pinterest.createAccount();
  const started = await startConnection(ctx, {});
  const returned = await pinterest.completeConsent(started.authUrl, { username });
  return { ...started, username, returned };
};

/** The outcome of a rejected connection. */
export const failed = (reason: string) => ({ kind: "failed", reason });
