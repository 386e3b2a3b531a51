import "server-only";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type { findWebhookEndpoints, findWebhookMessages, RowOf } from "./queries.ts";

/** Without its secret. */
export const toExportedEndpoint = (endpoint: RowOf<typeof findWebhookEndpoints>) => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  created_at: toIso(endpoint.createdAt),
  turned_off_at: toIsoOrNull(endpoint.disabledAt),
});

export const toExportedWebhookMessage = (message: RowOf<typeof findWebhookMessages>) => ({
  id: message.id,
  type: message.type,
  created_at: toIso(message.createdAt),
  body: message.body,
  deliveries: message.deliveries,
});
