import { toCancelWire } from "#lib/features/billing/serializers.ts";
import { cancelSubscription } from "#lib/features/billing/subscriptions.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-17, A-20 */
export const POST = route({
  auth: "user",
  limit: "money",
  input: noInput,
  run: cancelSubscription,
  present: toCancelWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
