import { choiceSetting, numberSetting, switchSetting, type ValuesOf } from "../kit/settings.ts";
import { COUNTRIES } from "./totals.ts";

const HOUR_MS = 3_600_000;
const COUNTRY_CODES = Object.keys(COUNTRIES) as [keyof typeof COUNTRIES, ...(keyof typeof COUNTRIES)[]];

/** What can be changed while the stand-in runs, with `PATCH /__control/settings`. */
export const PADDLE_SETTINGS = {
  country: choiceSetting("Where buyers without an address are: decides currency and price", COUNTRY_CODES),
  taxPercent: numberSetting("Tax in per cent, contained in prices", 0, 0, 50),
  holdWebhooks: switchSetting(
    "Webhooks are kept back until this is switched off, or they are released in another order",
  ),
  webhookTimeoutMs: numberSetting("Milliseconds that a receiver has for its answer", 5_000, 10, 60_000),
  webhookRetries: numberSetting("Further deliveries when the receiver does not answer 200", 60, 0, 100),
  webhookRetryMs: numberSetting(
    "Milliseconds to the first retry; each next one takes twice as long, an hour at most",
    10_000,
    1,
    HOUR_MS,
  ),
  refundMinutes: numberSetting(
    "Minutes until a refund is approved by itself; 0 leaves it to the control call",
    10,
    0,
    1e5,
  ),
  dunningRetries: numberSetting("How often a declined renewal is tried again", 3, 0, 20),
  dunningDays: numberSetting("Days between these tries", 3, 1, 30),
  dunningEnd: choiceSetting("What becomes of a subscription when the last try is declined", ["canceled", "paused"]),
  renewalLock: switchSetting("Subscriptions cannot be changed in the half hour before they renew", true),
};

export type PaddleSettings = ValuesOf<typeof PADDLE_SETTINGS>;
