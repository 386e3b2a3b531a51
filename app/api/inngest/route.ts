import { serve } from "inngest/next";
import { inngest } from "#inngest/client.ts";
import { functions } from "#inngest/functions/index.ts";
import { isStopping } from "#lib/server/shutdown.ts";

const served = serve({ client: inngest, functions, enableUnauthedSync: false });

/** Entry point of the durable engine. Every call is signed. */
export const { GET, PUT } = served;

/** Runs a step, unless the process is shutting down; the engine then retries. */
export const POST: typeof served.POST = (request, context) =>
  isStopping()
    ? Promise.resolve(new Response(null, { status: 503, headers: { "retry-after": "1", connection: "close" } }))
    : served.POST(request, context);
