import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { answersOnly } from "#lib/server/route.ts";
import { webhook } from "#lib/server/webhook.ts";

/** Events of the payment provider (DESIGN §6, R-PAY-03). */
export const POST = webhook({ source: "paddle", signatureHeader: "paddle-signature", run: receiveEvent });

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
