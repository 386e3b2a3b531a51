import { toCancelWire } from "#lib/features/billing/serializers.ts";
import { resumeSubscription } from "#lib/features/billing/subscriptions.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** Takes a cancellation back. */
export const POST = route({
  auth: "user",
  limit: "money",
  input: noInput,
  run: resumeSubscription,
  present: toCancelWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
