import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import type { UserId } from "#lib/core/ids.ts";

/** Where all kept pictures of a user lie, and nobody else's. */
export const nameKeptFolder = (ctx: Pick<Ctx, "settings">, userId: UserId): string =>
  `kept/${sha256(signText(ctx.settings.tokenSecret, `kept:${userId}`)).slice(0, 40)}`;
