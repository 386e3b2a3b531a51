import { confirmPurchase } from "#lib/features/billing/checkout.ts";
import { purchaseConfirmation } from "#lib/features/billing/schema.ts";
import { toPurchaseWire } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "confirm",
    input: purchaseConfirmation,
    run: confirmPurchase,
    present: toPurchaseWire,
  }),
});
