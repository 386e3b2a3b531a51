import { choiceSetting, numberSetting, switchSetting } from "../kit/settings.ts";
import { COUNTRIES } from "./totals.ts";

const HOUR_MS = 3_600_000;
const COUNTRY_CODES = Object.keys(COUNTRIES) as [keyof typeof COUNTRIES, ...(keyof typeof COUNTRIES)[]];

export const PADDLE_SETTINGS = {
  country: choiceSetting("Country of buyers without an address; determines currency and price", COUNTRY_CODES),
  taxPercent: numberSetting("Tax in percent, included in prices", 0, 0, 50),
  holdWebhooks: switchSetting("Holds webhooks until this is turned off or they are released in another order"),
  webhookTimeoutMs: numberSetting("Milliseconds that a receiver has to respond", 5_000, 10, 60_000),
  webhookRetries: numberSetting("Retries when the receiver does not respond with 200", 60, 0, 100),
  webhookRetryMs: numberSetting("Milliseconds to the first retry; it doubles up to an hour", 10_000, 1, HOUR_MS),
  refundMinutes: numberSetting("Minutes until a refund is approved; 0 leaves it to the control API", 10, 0, 1e5),
  dunningRetries: numberSetting("How often a declined renewal is retried", 3, 0, 20),
  dunningDays: numberSetting("Days between these retries", 3, 1, 30),
  dunningEnd: choiceSetting("State of a subscription after the last retry is declined", ["canceled", "paused"]),
  renewalLock: switchSetting("Subscriptions cannot be changed in the half hour before they renew", true),
};
