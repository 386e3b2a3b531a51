import { requestWeeklySyncs, sendWeeklyEmails, syncAnalytics } from "./analytics.ts";
import { applyPaymentEvent, collectPaymentEvents } from "./billing.ts";
import { sendDigests, sendQueuedEmail, sendResetEmail, sendVerificationEmail } from "./email.ts";
import { generatePin, sweepTasks } from "./generate-pin.ts";
import { importPins } from "./import-pins.ts";
import { checkLink, recheckLinks } from "./links.ts";
import { eraseUser, purgeExpired, recordHealth, sweep } from "./maintenance.ts";
import { publishPin, renewTokens, startDuePins } from "./publish-pin.ts";
import { checkSites } from "./sites.ts";
import { sendWebhooks } from "./webhooks.ts";

export const functions = [
  applyPaymentEvent,
  requestWeeklySyncs,
  checkLink,
  checkSites,
  collectPaymentEvents,
  eraseUser,
  sendDigests,
  syncAnalytics,
  generatePin,
  importPins,
  publishPin,
  recheckLinks,
  recordHealth,
  renewTokens,
  purgeExpired,
  sendQueuedEmail,
  sendResetEmail,
  sendVerificationEmail,
  startDuePins,
  sweep,
  sweepTasks,
  sendWebhooks,
  sendWeeklyEmails,
];
