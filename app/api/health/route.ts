import { checkHealth } from "#lib/server/health.ts";

const headers = { "cache-control": "no-store" };

/**
 * Liveness and readiness as JSON; 503 when the database or its migrations are not ready. With `?live`, 200 as long as the
 * process responds: for balancers, which would otherwise drop all processes when the database is down.
 */
export const GET = async (request: Request): Promise<Response> => {
  if (new URL(request.url).searchParams.has("live")) return Response.json({ live: true }, { headers });
  const health = await checkHealth();
  return Response.json(health, { status: health.ready ? 200 : 503, headers });
};
