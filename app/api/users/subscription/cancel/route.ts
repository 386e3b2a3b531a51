import { toCancelWire } from "#lib/features/billing/serializers.ts";
import { cancelSubscription } from "#lib/features/billing/subscriptions.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "money",
    input: noInput,
    run: cancelSubscription,
    present: toCancelWire,
  }),
});
