import "server-only";
import { CSRF_HEADER } from "#lib/features/identity/constants.ts";
import { isAllowedOrigin } from "./actor.ts";
import type { RouteHandler } from "./route.ts";

const CORS_HEADERS = `authorization, content-type, idempotency-key, ${CSRF_HEADER.toLowerCase()}`;
const CORS_METHODS = "GET, POST, PUT, DELETE, OPTIONS";

/** CORS headers for an allowed origin, else none (R-API-32). */
export const corsHeaders = (origin: string | null): Record<string, string> =>
  isAllowedOrigin(origin) && origin !== null
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "link, retry-after, x-request-id",
        vary: "Origin",
      }
    : { vary: "Origin" };

/** The answer to a preflight: what an allowed origin may send. */
export const preflight = (origin: string | null): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      ...(isAllowedOrigin(origin) && {
        "access-control-allow-methods": CORS_METHODS,
        "access-control-allow-headers": CORS_HEADERS,
        "access-control-max-age": "600",
      }),
    },
  });

/** For calls that the gate does not see, because it would hold their bodies in memory: their own CORS headers. */
export const answersAcross =
  (handler: RouteHandler): RouteHandler =>
  async (request, context) => {
    const response = await handler(request, context);
    const headers = corsHeaders(request.headers.get("origin"));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };

/** Answers a preflight where the gate does not. */
export const answersPreflight: RouteHandler = async (request) => preflight(request.headers.get("origin"));
