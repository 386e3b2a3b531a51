import { openPortal } from "#lib/features/billing/payment-history.ts";
import { toUrlWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The provider's page for changing the payment method. */
  POST: route({ auth: "user", limit: "money", input: noInput, run: openPortal, present: toUrlWire }),
});
