import { confirmSubscription } from "#lib/features/billing/checkout.ts";
import { subscriptionConfirmation } from "#lib/features/billing/schema.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "confirm",
    input: subscriptionConfirmation,
    run: confirmSubscription,
    present: ({ view, confirmation }) => toSubscriptionWire(view, confirmation),
  }),
});
