import "server-only";
import type { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { WEBHOOK_EVENT_TYPES } from "./constants.ts";
import type { AttemptWire, DeliveryWire, EndpointWire } from "./schema.ts";
import { headersOf } from "./signatures.ts";

export type Endpoint = typeof webhookEndpoints.$inferSelect;
export type Delivery = typeof webhookDeliveries.$inferSelect;
export type Message = typeof webhookMessages.$inferSelect;
export type Attempt = typeof webhookAttempts.$inferSelect;

export const toEndpointWire = (endpoint: Endpoint, now: Date): EndpointWire => {
  const { id, url, description, createdAt, disabledAt, disabledFor, failingSince, previousSecretEndsAt } = endpoint;
  return {
    ...{ id, url, description },
    events: WEBHOOK_EVENT_TYPES.filter((event) => endpoint.events.includes(event)),
    created_at: toIso(createdAt),
    enabled: disabledAt === null,
    disabled_for: disabledFor,
    disabled_at: toIsoOrNull(disabledAt),
    failing_since: toIsoOrNull(failingSince),
    previous_secret_ends_at:
      previousSecretEndsAt !== null && previousSecretEndsAt > now ? toIso(previousSecretEndsAt) : null,
  };
};

export const toDeliveryWire = (delivery: Delivery, { type }: Pick<Message, "type">): DeliveryWire => ({
  id: delivery.id,
  webhook_id: delivery.endpointId,
  message_id: delivery.messageId,
  type,
  created_at: toIso(delivery.createdAt),
  state: delivery.state,
  attempts: delivery.attempts,
  next_attempt_at: delivery.state === "pending" ? toIso(delivery.dueAt) : null,
  finished_at: toIsoOrNull(delivery.finishedAt),
  replayed_at: toIsoOrNull(delivery.replayedAt),
});

export const toAttemptWire = (
  attempt: Attempt,
  { messageId }: Delivery,
  sender: { productName: string; appUrl: string },
): AttemptWire => ({
  number: attempt.number,
  url: attempt.url,
  sent_at: toIso(attempt.sentAt),
  request_headers: headersOf({ messageId, sentAt: attempt.sentAt, signature: attempt.signature }, sender),
  duration_ms: attempt.durationMs,
  status: attempt.status,
  response_excerpt: attempt.excerpt,
  problem: attempt.problem,
});
