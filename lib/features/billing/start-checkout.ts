import "server-only";
import { purchases } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PurchaseId, UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import { planAt } from "#lib/features/identity/policy.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { CHECKOUT_TEXTS, CONFIRM_TEXTS, OFFERS, type Offer, type PriceKey, packKey, planKey } from "./constants.ts";
import { priceIdOf } from "./policy.ts";
import { findLiveSubscription, hasPendingPlan } from "./queries.ts";
import type { CheckoutInput } from "./schema.ts";

/** A purchase that is written down, and what its checkout is opened with. */
export interface Checkout {
  purchaseId: PurchaseId;
  userId: UserId;
  email: string;
  offer: Offer;
  priceId: string;
}

/**
 * @throws AppError `wrong_state`: a second subscription would be paid for beside the first (A-96 changes the plan), or
 * beside one whose payment is under way.
 */
const refuseSecondPlan = async (tx: Ctx, userId: UserId, plan: PlanSlug): Promise<void> => {
  if (plan !== "free") throw new AppError("wrong_state", { text: CHECKOUT_TEXTS.hasPlan });
  if (await hasPendingPlan(tx, userId)) throw new AppError("wrong_state", { text: CONFIRM_TEXTS.pending });
  const live = await findLiveSubscription(tx, userId);
  if (!live) return;
  throw new AppError("wrong_state", {
    text: live.status === "paused" ? CHECKOUT_TEXTS.isPaused : CHECKOUT_TEXTS.hasPlan,
  });
};

const offerOf = (key: PriceKey): Offer => {
  const offer = OFFERS.get(key);
  if (!offer) throw new AppError("internal", { cause: new Error(`There is no offer ${key}.`) });
  return offer;
};

/**
 * Writes down what the signed-in user sets out to buy, before the checkout opens (DESIGN §6): a plan unless they have a
 * paid one, a pack at the price of their present plan at any time. It grants nothing.
 * @throws AppError `wrong_state` for a second plan, `not_found` without a price id (R-BUY-14), `unauthenticated`
 */
export const startCheckout = (ctx: Ctx, input: CheckoutInput): Promise<Checkout> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    const user = await findUser(tx, userId);
    if (!user) throw new AppError("unauthenticated");
    const plan = planAt(user, tx.now());
    if (input.kind === "plan") await refuseSecondPlan(tx, userId, plan);
    const key = input.kind === "plan" ? planKey(input.plan) : packKey(plan, input.credits);
    const [offer, priceId] = [offerOf(key), priceIdOf(tx.settings.prices, key)];
    const purchaseId = tx.newId("purchase");
    await tx.db.insert(purchases).values({
      id: purchaseId,
      userId,
      kind: offer.kind,
      plan: offer.plan,
      credits: offer.kind === "pack" ? offer.credits : null,
      priceId,
      createdAt: tx.now(),
    });
    return { purchaseId, userId, email: user.email, offer, priceId };
  });
