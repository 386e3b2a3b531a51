import { confirmSubscription } from "#lib/features/billing/checkout.ts";
import { subscriptionConfirmation } from "#lib/features/billing/schema.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-18, R-PRICE-13, R-ENT-16, A-59 */
export const POST = route({
  auth: "user",
  limit: "confirm",
  input: subscriptionConfirmation,
  run: confirmSubscription,
  present: ({ view, confirmation }) => toSubscriptionWire(view, confirmation),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
