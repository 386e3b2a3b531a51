import "server-only";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import { makeToken } from "#lib/features/letters/make-token.ts";
import { offerUnsubscribe } from "#lib/features/letters/offer-unsubscribe.ts";
import { changeMutes } from "./change-mutes.ts";
import { TEXTS } from "./constants.ts";
import { parseOffer } from "./policy.ts";
import type { SwitchedMails, SwitchOfferedInput } from "./schema.ts";

/**
 * Switches off the mails of the kinds that a mail told of, by the link at its foot and without a login (RFC 8058), or
 * on again. The link changes nothing else, tells nothing of its user, and may be used again and again.
 * @throws AppError `invalid` for a link that we did not sign
 */
export const switchOffered = async (ctx: Ctx, { token, isOn }: SwitchOfferedInput): Promise<SwitchedMails> => {
  const offer = parseOffer(token);
  if (!offer) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  const { userId, kinds, signature } = offer;
  const signed = makeToken(ctx, offerUnsubscribe(userId, kinds).seed);
  if (!equalInConstantTime(signature, signed)) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  await changeMutes(ctx, { userId, kinds, isOn });
  ctx.log.set({ user_id: userId });
  return { kinds, isOn };
};
