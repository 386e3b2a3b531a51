import { startCheckout } from "#lib/features/billing/checkout.ts";
import { checkoutInput } from "#lib/features/billing/schema.ts";
import { toCheckoutWire } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-PAY-01, DESIGN §6: what somebody sets out to buy is written down before the checkout opens. */
export const POST = route({
  auth: "user",
  limit: "money",
  input: checkoutInput,
  run: startCheckout,
  present: toCheckoutWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
