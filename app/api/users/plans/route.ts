import { listOffers } from "#lib/features/billing/checkout.ts";
import { toCatalogueWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** What is sold, and how a checkout is opened: the same for everybody, so any cache may keep it for a minute. */
export const GET = route({
  auth: "visitor",
  input: noInput,
  run: listOffers,
  present: toCatalogueWire,
  headers: () => ({ "cache-control": "public, max-age=60" }),
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
