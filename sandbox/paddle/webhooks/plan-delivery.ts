import type { WebhookTarget } from "../context.ts";
import type { PaddleEvent } from "../records.ts";
import { signatureHeader } from "./sign.ts";

/** A request to the receiver. */
export interface Delivery {
  body: string;
  /** Absent when the header is to be missing. */
  signature: string | undefined;
}

/** What a webhook fault may ask the sender to play. */
export type Part =
  | "duplicate"
  | "replayed"
  | "reversed"
  | "stale"
  | "future"
  | "altered"
  | "two-signatures-first"
  | "two-signatures-last"
  | "unsigned"
  | "wrong-secret"
  | "old-secret"
  | "unknown-type"
  | "answer-lost"
  | "lost";

const MINUTE_MS = 60_000;
const SHIFT_MINUTES = 10;
const WRONG_SECRET = "pdl_ntfset_wrong";

/** How one notification is sent, with a fault or without. */
export function planDelivery(
  event: PaddleEvent,
  notificationId: string,
  { secret, previousSecret }: WebhookTarget,
  at: Date,
  part: string | undefined,
): Delivery {
  const { event_id, event_type, occurred_at, data } = event;
  const shown = part === "unknown-type" ? "report.foretold" : event_type;
  const body = JSON.stringify({
    event_id,
    event_type: shown,
    occurred_at,
    notification_id: notificationId,
    data,
  });
  const sign = (secrets: string[], minutes = 0) =>
    signatureHeader(body, secrets, new Date(at.getTime() + minutes * MINUTE_MS));
  switch (part) {
    case "stale":
      return { body, signature: sign([secret], -SHIFT_MINUTES) };
    case "future":
      return { body, signature: sign([secret], SHIFT_MINUTES) };
    case "altered":
      return { body: altered(body), signature: sign([secret]) };
    case "two-signatures-first":
      return { body, signature: sign([secret, WRONG_SECRET]) };
    case "two-signatures-last":
      return { body, signature: sign([WRONG_SECRET, secret]) };
    case "unsigned":
      return { body, signature: undefined };
    case "wrong-secret":
      return { body, signature: sign([WRONG_SECRET]) };
    case "old-secret":
      return { body, signature: sign([previousSecret]) };
    default:
      return { body, signature: sign([secret]) };
  }
}

/** The same event about another one: what is signed is no longer what arrives. */
function altered(body: string): string {
  const changed = body
    .replace(/"(amount|total|grand_total)":"\d+"/g, '"$1":"1"')
    .replace(/"status":"\w+"/, '"status":"completed"');
  return changed === body ? `${body} ` : changed;
}
