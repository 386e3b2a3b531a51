import { readSubscription } from "#lib/features/billing/queries.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({
    auth: "user",
    input: noInput,
    run: readSubscription,
    present: (view) => toSubscriptionWire(view),
  }),
});
