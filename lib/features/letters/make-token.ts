import "server-only";
import type { Ctx } from "#lib/context.ts";
import { signText } from "#lib/core/digest.ts";

/**
 * The token at the end of a mail's link: 256 bits that follow from a seed and our secret, so that a mail which is sent
 * twice holds the same link twice, and nobody needs to store it. A seed names one link for all time.
 */
export const makeToken = (ctx: Pick<Ctx, "settings">, seed: string): string => signText(ctx.settings.tokenSecret, seed);
