import { product } from "#lib/server/product.ts";
import { buildOpenApi } from "#lib/server/v1/openapi.ts";

let built: string | undefined;

/** The specification of `/api/v1`, built once per process. */
export const GET = (): Response => {
  const { name: productName, appUrl, supportEmail } = product();
  built ??= JSON.stringify(buildOpenApi({ productName, appUrl, supportEmail }));
  return new Response(built, {
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
  });
};
