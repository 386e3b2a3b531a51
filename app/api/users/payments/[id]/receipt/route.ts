import { openReceipt } from "#lib/features/billing/payment-history.ts";
import { paymentIdInput } from "#lib/features/billing/schema.ts";
import { toAddressWire } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** The invoice of a payment. */
export const POST = route({
  auth: "user",
  limit: "money",
  input: paymentIdInput,
  run: openReceipt,
  present: toAddressWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
