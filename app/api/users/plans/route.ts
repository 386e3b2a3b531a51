import { listOffers } from "#lib/features/billing/checkout.ts";
import { toCatalogWire } from "#lib/features/billing/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Plans, packs and checkout settings; the same for everyone, so cacheable for a minute. */
  GET: route({
    auth: "visitor",
    input: noInput,
    run: listOffers,
    present: toCatalogWire,
    headers: () => ({ "cache-control": "public, max-age=60" }),
  }),
});
