import { openPortal } from "#lib/features/billing/payment-history.ts";
import { toAddressWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** Where the way of paying is changed. */
export const POST = route({ auth: "user", limit: "money", input: noInput, run: openPortal, present: toAddressWire });

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
