import { listPayments } from "#lib/features/billing/payment-history.ts";
import { listPaymentsInput } from "#lib/features/billing/schema.ts";
import { toPayments, toPaymentsLink } from "#lib/features/billing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({
    auth: "user",
    input: listPaymentsInput,
    run: listPayments,
    present: toPayments,
    headers: toPaymentsLink,
  }),
});
