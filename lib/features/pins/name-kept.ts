import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { nameKeptFolder } from "./name-kept-folder.ts";

/**
 * Where the actor's refused set leaves the picture of a file, by the file's digest: one that nobody can guess without
 * our secret. The name says whether the file moved, and this is how it began.
 */
export const nameKept = (ctx: Ctx, fileSha256: string, isFirstFrame: boolean): string => {
  const userId = requireUserId(ctx);
  const name = sha256(signText(ctx.settings.tokenSecret, `kept:${userId}:${fileSha256}`)).slice(0, 40);
  return `${nameKeptFolder(ctx, userId)}/${name}${isFirstFrame ? "-first" : ""}.jpg`;
};
