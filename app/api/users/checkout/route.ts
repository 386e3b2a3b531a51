import { startCheckout } from "#lib/features/billing/checkout.ts";
import { checkoutInput } from "#lib/features/billing/schema.ts";
import { toCheckoutWire } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Records the purchase before the checkout opens. */
  POST: route({
    auth: "user",
    limit: "money",
    input: checkoutInput,
    run: startCheckout,
    present: toCheckoutWire,
  }),
});
