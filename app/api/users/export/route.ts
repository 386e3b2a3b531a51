import { noInput } from "#lib/features/identity/schema.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { product } from "#lib/server/product.ts";
import { exportResponse } from "#lib/server/responses.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** All of the user's data as a download. */
  GET: route({
    auth: "user",
    limit: "export",
    input: noInput,
    run: exportData,
    respond: (pieces, ctx) =>
      exportResponse(pieces, `${product().slug}-data-${ctx.now().toISOString().slice(0, 10)}.json`),
  }),
});
