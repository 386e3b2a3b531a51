import { toCancelWire } from "#lib/features/billing/serializers.ts";
import { resumeSubscription } from "#lib/features/billing/subscriptions.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Undoes a cancellation. */
  POST: route({
    auth: "user",
    limit: "money",
    input: noInput,
    run: resumeSubscription,
    present: toCancelWire,
  }),
});
