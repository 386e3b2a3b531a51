import "server-only";
import type { UserId } from "#lib/core/ids.ts";
import type { MutableMail } from "./constants.ts";

/** What a link that switches mails off says, and what its signature follows from. */
export interface UnsubscribeOffer {
  claim: string;
  seed: string;
}

/**
 * The link at the foot of a mail that switches off its kinds without a login (RFC 8058). The claim stands in the link
 * for everybody to read; only we can sign it, and it works for as long as the secret is the same.
 */
export const offerUnsubscribe = (userId: UserId, kinds: readonly MutableMail[]): UnsubscribeOffer => {
  const claim = [userId, ...kinds].join(".");
  return { claim, seed: `unsubscribe:${claim}` };
};
