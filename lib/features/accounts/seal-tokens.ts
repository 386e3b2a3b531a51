import "server-only";
import type { Ctx } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import type { PinterestTokens } from "#lib/integrations/pinterest/port.ts";

/** Both tokens sealed, with the moments they expire, as columns that are always written together (R-SRV-05). */
export const sealTokens = (ctx: Ctx, tokens: PinterestTokens) => ({
  accessTokenSealed: ctx.sealer.seal(tokens.accessToken),
  refreshTokenSealed: ctx.sealer.seal(tokens.refreshToken),
  accessExpiresAt: addMs(ctx.now(), tokens.accessExpiresInSeconds * SECOND_MS),
  refreshExpiresAt: addMs(ctx.now(), tokens.refreshExpiresInSeconds * SECOND_MS),
  scopes: tokens.scopes.join(" "),
  refreshLease: null,
  refreshLeaseUntil: null,
});
