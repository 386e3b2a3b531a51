import { checkHealth } from "#lib/server/health.ts";

/** Liveness and readiness as JSON; 503 when the database or its migrations are not ready. */
export const GET = async (): Promise<Response> => {
  const health = await checkHealth();
  return Response.json(health, {
    status: health.ready ? 200 : 503,
    headers: { "cache-control": "no-store" },
  });
};
