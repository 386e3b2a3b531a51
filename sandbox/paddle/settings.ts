import type { SettingDefinitions, ValuesOf } from "../kit/settings.ts";
import { COUNTRIES } from "./totals.ts";

/** What can be changed while the stand-in runs, with `PATCH /__control/settings`. */
export const PADDLE_SETTINGS = {
  country: {
    type: "choice",
    options: Object.keys(COUNTRIES),
    initial: "US",
    about: "Where buyers without an address are: decides currency and price",
  },
  taxPercent: {
    type: "number",
    initial: 0,
    least: 0,
    most: 50,
    about: "Tax in per cent, contained in prices",
  },
  holdWebhooks: {
    type: "switch",
    initial: false,
    about: "Webhooks are kept back until this is switched off, or they are released in another order",
  },
  webhookDelayMs: {
    type: "number",
    initial: 0,
    least: 0,
    most: 600_000,
    about: "Milliseconds from an event to its first delivery",
  },
  webhookTimeoutMs: {
    type: "number",
    initial: 5_000,
    least: 10,
    most: 60_000,
    about: "Milliseconds that a receiver has for its answer",
  },
  webhookRetries: {
    type: "number",
    initial: 60,
    least: 0,
    most: 100,
    about: "Further deliveries when the receiver does not answer 200",
  },
  webhookRetryMs: {
    type: "number",
    initial: 10_000,
    least: 1,
    most: 3_600_000,
    about: "Milliseconds to the first retry; each next one takes twice as long, an hour at most",
  },
  refundMinutes: {
    type: "number",
    initial: 10,
    least: 0,
    most: 100_000,
    about: "Minutes until a refund is approved by itself; 0 leaves it to the control call",
  },
  dunningRetries: {
    type: "number",
    initial: 3,
    least: 0,
    most: 20,
    about: "How often a declined renewal is tried again",
  },
  dunningDays: { type: "number", initial: 3, least: 1, most: 30, about: "Days between these tries" },
  dunningEnd: {
    type: "choice",
    options: ["canceled", "paused"],
    initial: "canceled",
    about: "What becomes of a subscription when the last try is declined",
  },
  renewalLock: {
    type: "switch",
    initial: true,
    about: "Subscriptions cannot be changed in the half hour before they renew",
  },
} as const satisfies SettingDefinitions;

export type PaddleSettings = ValuesOf<typeof PADDLE_SETTINGS>;
