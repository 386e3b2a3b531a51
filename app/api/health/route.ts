import { checkHealth } from "#lib/server/health.ts";

/** Live and ready as JSON; 503 when not ready (database, migrations, durable engine). */
export const GET = async (): Promise<Response> => {
  const health = await checkHealth();
  return Response.json(health, {
    status: health.ready ? 200 : 503,
    headers: { "cache-control": "no-store" },
  });
};
