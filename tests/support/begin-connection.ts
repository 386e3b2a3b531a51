import type { FullCtx } from "#lib/context.ts";
import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import type { PinterestControl } from "./pinterest.ts";

/** Walks a new Pinterest account through its consent, up to where the browser would return to us. */
export const beginConnection = async (ctx: FullCtx, pinterest: PinterestControl) => {
  const username = await pinterest.makeAccount();
  const started = await startConnection(ctx, {});
  const returned = await pinterest.walkConsent(started.authUrl, { username });
  return { ...started, username, returned };
};

/** How a connection ends that was refused. */
export const failed = (reason: string) => ({ kind: "failed", reason });
