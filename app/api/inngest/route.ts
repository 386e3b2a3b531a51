import { serve } from "inngest/next";
import { inngest } from "#inngest/client.ts";
import { functions } from "#inngest/functions/index.ts";
import { guardEngine } from "#lib/server/engine-handler.ts";
import { isStopping } from "#lib/server/shutdown.ts";

const served = serve({ client: inngest, functions, enableUnauthedSync: false });

/** Entry point of the durable engine. Every call is signed. */
export const GET = guardEngine(served.GET);
export const PUT = guardEngine(served.PUT);

const run = guardEngine(served.POST);

/** Runs a step, unless the process is shutting down; the engine then retries. */
export const POST: typeof run = (request, context) =>
  isStopping()
    ? Promise.resolve(new Response(null, { status: 503, headers: { "retry-after": "1", connection: "close" } }))
    : run(request, context);
