import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import { requireUserId } from "#lib/core/require-user.ts";

/**
 * Where the actor's refused set leaves the picture of a file, by the file's digest: nobody else's, and one that nobody
 * can guess without our secret.
 */
export const nameKept = (ctx: Ctx, fileSha256: string): string =>
  `kept/${sha256(signText(ctx.settings.tokenSecret, `kept:${requireUserId(ctx)}:${fileSha256}`)).slice(0, 40)}.jpg`;
