import { z } from "zod";
import { isId, type WebhookEndpointId } from "#lib/core/ids.ts";
import { URL_MAX } from "#lib/core/paths.ts";
import {
  DELIVERIES_PAGE,
  DELIVERIES_PAGE_MAX,
  DESCRIPTION_MAX,
  TEST_EVENT,
  TEXTS,
  WEBHOOK_EVENT_TYPES,
} from "./constants.ts";

const webhookEvent = z.enum(WEBHOOK_EVENT_TYPES);

const time = z.iso.datetime();

/** What each event says about its subject, in `data`. Fields may be added, never removed. */
export const WEBHOOK_DATA = {
  "pin.published": z.object({
    pin_id: z.string(),
    account_id: z.string(),
    board_id: z.string(),
    title: z.string(),
    link: z.string().nullable(),
    pinterest_pin_id: z.string(),
    published_at: time,
  }),
  "pin.failed": z.object({
    pin_id: z.string(),
    account_id: z.string(),
    board_id: z.string(),
    title: z.string(),
    link: z.string().nullable(),
    scheduled_at: time.nullable(),
    reason: z.string(),
    /** Pinterest may have published it although it didn't say so. */
    may_be_published: z.boolean(),
  }),
  "generation.finished": z.object({
    generation_id: z.string(),
    account_id: z.string(),
    board_id: z.string(),
    total: z.number().int(),
    succeeded: z.number().int(),
    failed: z.number().int(),
    canceled: z.number().int(),
    pin_ids: z.array(z.string()),
  }),
  "account.lost": z.object({ account_id: z.string(), username: z.string(), reason: z.string() }),
  "credits.low": z.object({ available_credits: z.number().int() }),
  "link.dead": z.object({ link: z.string(), reason: z.string() }),
  [TEST_EVENT]: z.object({ webhook_id: z.string(), text: z.string() }),
} as const;

export type WebhookData = { [K in keyof typeof WEBHOOK_DATA]: z.output<(typeof WEBHOOK_DATA)[K]> };
export type WebhookType = keyof WebhookData;

export interface WebhookBody<T extends WebhookType = WebhookType> {
  type: T;
  /** When the event happened. */
  timestamp: string;
  data: WebhookData[T];
}

/** Any short text; the use cases check whether it is the user's. */
const endpointId = z.string().min(1).max(100);
const deliveryId = z.string().min(1).max(100);

const url = z
  .string(TEXTS.urlInvalid)
  .trim()
  .min(1, TEXTS.urlInvalid)
  .max(URL_MAX, TEXTS.urlInvalid)
  .refine((text) => URL.canParse(text), TEXTS.urlInvalid);
const description = z
  .string(TEXTS.nameInvalid)
  .trim()
  .max(DESCRIPTION_MAX, TEXTS.nameInvalid)
  .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), TEXTS.nameInvalid);
const events = z
  .array(webhookEvent, TEXTS.eventsInvalid)
  .min(1, TEXTS.eventsInvalid)
  .max(WEBHOOK_EVENT_TYPES.length, TEXTS.eventsInvalid)
  .transform((chosen) => WEBHOOK_EVENT_TYPES.filter((event) => chosen.includes(event)));

export const createEndpointInput = z.strictObject({ url, events, description: description.default("") });
export type CreateEndpointInput = z.output<typeof createEndpointInput>;

/** What is left out stays. `enabled`: false turns it off, true resumes with new events. */
export const updateEndpointInput = z.strictObject({
  endpointId,
  url: url.optional(),
  events: events.optional(),
  description: description.optional(),
  enabled: z.boolean().optional(),
});
export type UpdateEndpointInput = z.output<typeof updateEndpointInput>;

export const endpointInput = z.strictObject({ endpointId });
export type EndpointInput = z.output<typeof endpointInput>;

export const listDeliveriesInput = z.strictObject({
  endpointId,
  limit: z.coerce.number().int().min(1).max(DELIVERIES_PAGE_MAX).default(DELIVERIES_PAGE),
  cursor: z.string().min(1).max(100).optional(),
});
export type ListDeliveriesInput = z.output<typeof listDeliveriesInput>;

export const deliveryInput = z.strictObject({ deliveryId });
export type DeliveryInput = z.output<typeof deliveryInput>;

export const endpointDue = z.object({
  endpointId: z.custom<WebhookEndpointId>((value) => isId("webhookEndpoint", value)),
});
export type EndpointDue = z.output<typeof endpointDue>;

export const endpointWire = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(webhookEvent),
  created_at: time,
  enabled: z.boolean(),
  /** `user`: turned off by hand; `gone`: it answered 410; `failing`: nothing was delivered for three days. */
  disabled_for: z.enum(["user", "gone", "failing"]).nullable(),
  disabled_at: time.nullable(),
  /** The first failure since the last delivery that worked. */
  failing_since: time.nullable(),
  /** Until then, requests are also signed with the secret before the last rotation. */
  previous_secret_ends_at: time.nullable(),
});
export type EndpointWire = z.output<typeof endpointWire>;

const endpointsWire = z.object({ webhooks: z.array(endpointWire) });
export type EndpointsWire = z.output<typeof endpointsWire>;

/** The only answers that contain the secret. */
export const endpointWithSecretWire = endpointWire.extend({ secret: z.string() });
export type EndpointWithSecretWire = z.output<typeof endpointWithSecretWire>;

export const deliveryWire = z.object({
  id: z.string(),
  webhook_id: z.string(),
  /** The same for all endpoints, and in the header `webhook-id` of each attempt. */
  message_id: z.string(),
  type: z.string(),
  created_at: time,
  state: z.enum(["pending", "delivered", "failed", "canceled"]),
  attempts: z.number().int(),
  /** Null when no attempt is planned. */
  next_attempt_at: time.nullable(),
  finished_at: time.nullable(),
  replayed_at: time.nullable(),
});
export type DeliveryWire = z.output<typeof deliveryWire>;

const deliveriesWire = z.object({ deliveries: z.array(deliveryWire), next_cursor: z.string().nullable() });
export type DeliveriesWire = z.output<typeof deliveriesWire>;

export const attemptWire = z.object({
  number: z.number().int(),
  /** Where it was sent, which may have changed since. Null for attempts from before this was kept. */
  url: z.string().nullable(),
  sent_at: time,
  request_headers: z.record(z.string(), z.string()),
  duration_ms: z.number().int().nullable(),
  status: z.number().int().nullable(),
  /** The first 2 kB of the answer. */
  response_excerpt: z.string().nullable(),
  problem: z.string().nullable(),
});
export type AttemptWire = z.output<typeof attemptWire>;

export const deliveryDetailWire = deliveryWire.extend({
  url: z.string(),
  request_body: z.string(),
  attempt_log: z.array(attemptWire),
});
export type DeliveryDetailWire = z.output<typeof deliveryDetailWire>;
