import { listPayments } from "#lib/features/billing/payment-history.ts";
import { listPaymentsInput } from "#lib/features/billing/schema.ts";
import { toPayments, toPaymentsLink } from "#lib/features/billing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-16, A-19 */
export const GET = route({
  auth: "user",
  input: listPaymentsInput,
  run: listPayments,
  present: toPayments,
  headers: toPaymentsLink,
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
