import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";

/**
 * Where a task's picture lies: always the same place, so that a step which died after storing finds its picture,
 * and one that nobody can guess without our secret, for whoever knows it may see the picture.
 */
export const nameImage = (ctx: Ctx, taskId: string): string =>
  `pins/${sha256(signText(ctx.settings.tokenSecret, `pin-image:${taskId}`)).slice(0, 40)}.jpg`;
