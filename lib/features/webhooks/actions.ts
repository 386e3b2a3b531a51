"use server";

import { withConfirmation } from "#lib/features/identity/confirmation.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { action } from "#lib/server/action.ts";
import { listDeliveries, readDelivery, replayDelivery, sendTestEvent } from "./deliveries.ts";
import { createEndpoint, deleteEndpoint, listEndpoints, rotateSecret, updateEndpoint } from "./endpoints.ts";
import {
  createEndpointInput,
  deliveryInput,
  endpointInput,
  listDeliveriesInput,
  updateEndpointInput,
} from "./schema.ts";

export const listWebhooksAction = action("list-webhooks", noInput, listEndpoints);
export const createWebhookAction = action("create-webhook", createEndpointInput, withConfirmation(createEndpoint));
export const updateWebhookAction = action("update-webhook", updateEndpointInput, withConfirmation(updateEndpoint));
export const rotateWebhookSecretAction = action("rotate-webhook-secret", endpointInput, withConfirmation(rotateSecret));
export const deleteWebhookAction = action("delete-webhook", endpointInput, withConfirmation(deleteEndpoint));
export const sendTestEventAction = action("send-test-event", endpointInput, sendTestEvent, { limit: "sendWebhook" });
export const listDeliveriesAction = action("list-deliveries", listDeliveriesInput, listDeliveries);
export const readDeliveryAction = action("read-delivery", deliveryInput, readDelivery);
export const replayDeliveryAction = action("replay-delivery", deliveryInput, replayDelivery, { limit: "sendWebhook" });
