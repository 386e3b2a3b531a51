import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { offerUnsubscribe } from "#lib/features/letters/offer-unsubscribe.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { availableOf } from "./policy.ts";
import type { Balance } from "./queries.ts";

/**
 * Posts the mail about few credits in the transaction that made them few. Nobody is told whose account is deleted, or
 * who switched these mails off.
 */
export const tellLowCredits = async (tx: Ctx, balance: Balance): Promise<LetterId[]> => {
  // Rows of this table hold the ids of users.
  const userId = balance.userId as UserId;
  const user = await findUser(tx, userId);
  if (!user || user.mutedMails.includes("credits_low")) return [];
  const unsubscribe = offerUnsubscribe(userId, ["credits_low"]);
  const availableCredits = availableOf(balance);
  const letter = { kind: "credits_low" as const, firstName: user.firstName, availableCredits, unsubscribe };
  return [await postLetter(tx, { userId, recipient: user.email, letter })];
};
