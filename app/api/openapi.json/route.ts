import { product } from "#lib/server/product.ts";
import { buildOpenApi } from "#lib/server/v1/openapi.ts";

/** The specification of `/api/v1`. */
export const GET = (): Response => {
  const { name: productName, appUrl, supportEmail } = product();
  const specification = buildOpenApi({ productName, appUrl, supportEmail });
  return Response.json(specification, { headers: { "cache-control": "public, max-age=300" } });
};
