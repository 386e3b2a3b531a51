import { openReceipt } from "#lib/features/billing/payment-history.ts";
import { paymentIdInput } from "#lib/features/billing/schema.ts";
import { toUrlWire } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The invoice of a payment. */
  POST: route({
    auth: "user",
    limit: "money",
    input: paymentIdInput,
    run: openReceipt,
    present: toUrlWire,
  }),
});
