import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";

/** A consent's state: `<nonce>.<HMAC over nonce and browser secret>`, so one changed in either part is not ours. */
export const signState = (ctx: Pick<Ctx, "settings">, input: { nonce: string; browserSecret: string }): string => {
  const { nonce, browserSecret } = input;
  const signature = signText(ctx.settings.tokenSecret, `pinterest-consent:${nonce}:${sha256(browserSecret)}`);
  return `${nonce}.${signature}`;
};
