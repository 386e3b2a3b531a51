import { serve } from "inngest/next";
import { inngest } from "#inngest/client.ts";
import { functions } from "#inngest/functions/index.ts";
import { isStopping } from "#lib/server/shutdown.ts";

const served = serve({ client: inngest, functions, enableUnauthedSync: false });

/** The durable engine's way in (contracts: INNGEST protocol). Every call is signed. */
export const { GET, PUT } = served;

/** A step, unless the process is about to end: it is then for the next one, and the engine asks again. */
export const POST: typeof served.POST = (request, context) =>
  isStopping()
    ? Promise.resolve(new Response(null, { status: 503, headers: { "retry-after": "1", connection: "close" } }))
    : served.POST(request, context);
