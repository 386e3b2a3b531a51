import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { routes } from "#lib/server/route.ts";
import { webhook } from "#lib/server/webhook.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Webhooks of the payment provider. */
  POST: webhook({ source: "paddle", signatureHeader: "paddle-signature", run: receiveEvent }),
});
