import { confirmPurchase } from "#lib/features/billing/checkout.ts";
import { purchaseConfirmation } from "#lib/features/billing/schema.ts";
import { toPurchaseWire } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-22, R-BUY-19, R-ENT-17 */
export const POST = route({
  auth: "user",
  limit: "confirm",
  input: purchaseConfirmation,
  run: confirmPurchase,
  present: toPurchaseWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
