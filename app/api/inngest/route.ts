import { serve } from "inngest/next";
import { inngest } from "#inngest/client.ts";
import { functions } from "#inngest/functions/index.ts";

/** The durable engine's way in (contracts: INNGEST protocol). Every call is signed. */
export const { GET, POST, PUT } = serve({ client: inngest, functions, enableUnauthedSync: false });
