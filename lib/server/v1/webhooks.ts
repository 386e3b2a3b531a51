import "server-only";
import { z } from "zod";
import { listDeliveries, readDelivery, replayDelivery, sendTestEvent } from "#lib/features/webhooks/deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "#lib/features/webhooks/endpoints.ts";
import {
  createEndpointInput,
  deliveryDetailWire,
  deliveryWire,
  endpointWire,
  endpointWithSecretWire,
  updateEndpointInput,
} from "#lib/features/webhooks/schema.ts";
import { id, listOf, pageOf, pageQuery } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const webhook = endpointWire.meta({ id: "Webhook", description: "A URL that gets signed events." });
const withSecret = endpointWithSecretWire.meta({ id: "WebhookWithSecret", description: "The secret is shown once." });
const delivery = deliveryWire.meta({ id: "WebhookDelivery", description: "One event for one webhook." });
const details = deliveryDetailWire.meta({ id: "WebhookDeliveryDetails" });

const params = z.strictObject({ webhook_id: id("A webhook's ID.") });
const deliveryParams = z.strictObject({ delivery_id: id("A delivery's ID.") });

const { endpointId: _, ...changes } = updateEndpointInput.shape;

const endpoints: readonly Operation[] = [
  operation({
    ...{ id: "listWebhooks", method: "GET", path: "/webhooks", tag: "Webhooks", scope: "webhooks:read" },
    summary: "List webhooks",
    response: listOf(webhook).meta({ id: "WebhookList" }),
    run: async (ctx) => ({ data: (await listEndpoints(ctx)).webhooks }),
  }),
  operation({
    ...{ id: "createWebhook", method: "POST", path: "/webhooks", tag: "Webhooks", scope: "webhooks:write" },
    summary: "Create a webhook",
    description: "Returns its secret, which verifies the signatures and isn't shown again.",
    body: createEndpointInput.meta({ id: "NewWebhook" }),
    ...{ status: 201, response: withSecret, errors: ["wrong_state"] },
    run: (ctx, { body, writeKey }) => createEndpoint(ctx, body, writeKey),
  }),
  operation({
    ...{ id: "updateWebhook", method: "PATCH", path: "/webhooks/{webhook_id}", tag: "Webhooks" },
    scope: "webhooks:write",
    summary: "Change a webhook, or turn it off and on",
    params,
    body: z.strictObject(changes).meta({ id: "WebhookChange" }),
    ...{ response: webhook, errors: ["not_found"] },
    run: (ctx, input) => updateEndpoint(ctx, { ...input.body, endpointId: input.params.webhook_id }),
  }),
  operation({
    ...{ id: "deleteWebhook", method: "DELETE", path: "/webhooks/{webhook_id}", tag: "Webhooks" },
    scope: "webhooks:write",
    summary: "Delete a webhook",
    params,
    ...{ status: 204, errors: ["not_found"] },
    run: (ctx, input) => deleteEndpoint(ctx, { endpointId: input.params.webhook_id }),
  }),
  operation({
    ...{ id: "rotateWebhookSecret", method: "POST", path: "/webhooks/{webhook_id}/rotate", tag: "Webhooks" },
    scope: "webhooks:write",
    summary: "Give a webhook a new secret",
    description: "For a day, requests are also signed with the old one, and there can't be another new one.",
    params,
    ...{ response: withSecret, errors: ["not_found", "wrong_state"] },
    run: (ctx, input) => rotateSecret(ctx, { endpointId: input.params.webhook_id }, input.writeKey),
  }),
  operation({
    ...{ id: "sendTestEvent", method: "POST", path: "/webhooks/{webhook_id}/test", tag: "Webhooks" },
    ...{ scope: "webhooks:write", limit: "sendWebhook" },
    summary: "Send a test event",
    params,
    ...{ status: 202, response: details, errors: ["not_found", "wrong_state"] },
    run: (ctx, input) => sendTestEvent(ctx, { endpointId: input.params.webhook_id }),
  }),
];

export const webhookOperations: readonly Operation[] = [
  ...endpoints,
  operation({
    ...{ id: "listDeliveries", method: "GET", path: "/webhooks/{webhook_id}/deliveries", tag: "Webhooks" },
    scope: "webhooks:read",
    summary: "List the deliveries of a webhook",
    params,
    query: z.strictObject(pageQuery),
    ...{ response: pageOf(delivery).meta({ id: "WebhookDeliveryPage" }), errors: ["not_found"] },
    run: async (ctx, input) => {
      const page = await listDeliveries(ctx, { ...input.query, endpointId: input.params.webhook_id });
      return { data: page.deliveries, next_cursor: page.next_cursor };
    },
  }),
  operation({
    ...{ id: "getDelivery", method: "GET", path: "/deliveries/{delivery_id}", tag: "Webhooks" },
    scope: "webhooks:read",
    summary: "Get a delivery with its requests and responses",
    params: deliveryParams,
    ...{ response: details, errors: ["not_found"] },
    run: (ctx, input) => readDelivery(ctx, { deliveryId: input.params.delivery_id }),
  }),
  operation({
    ...{ id: "replayDelivery", method: "POST", path: "/deliveries/{delivery_id}/replay", tag: "Webhooks" },
    ...{ scope: "webhooks:write", limit: "sendWebhook" },
    summary: "Send a delivery again",
    description: "With the same `webhook-id`, so that receivers can drop repeats.",
    params: deliveryParams,
    ...{ status: 202, response: details, errors: ["not_found", "wrong_state"] },
    run: (ctx, input) => replayDelivery(ctx, { deliveryId: input.params.delivery_id }),
  }),
];
