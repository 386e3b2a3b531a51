import { readSubscription } from "#lib/features/billing/queries.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-15, A-23 */
export const GET = route({
  auth: "user",
  input: noInput,
  run: readSubscription,
  present: (view) => toSubscriptionWire(view),
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
