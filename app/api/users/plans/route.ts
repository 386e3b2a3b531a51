import { listOffers } from "#lib/features/billing/checkout.ts";
import { toCatalogueWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** What is sold, and how a checkout is opened: the same for everybody, so any cache may keep it for a minute. */
  GET: route({
    auth: "visitor",
    input: noInput,
    run: listOffers,
    present: toCatalogueWire,
    headers: () => ({ "cache-control": "public, max-age=60" }),
  }),
});
