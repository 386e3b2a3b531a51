import { askWeeks, gatherResults, tellWeeks } from "./analytics.ts";
import { applyPaymentEvent, collectPaymentEvents } from "./billing.ts";
import { gatherDigests, sendLetter, sendResetMail, sendVerificationMail } from "./email.ts";
import { generatePin } from "./generate-pin.ts";
import { checkLink, recheckLinks } from "./links.ts";
import { eraseUser, recordHealth, retire, sweep } from "./maintenance.ts";
import { publishPin } from "./publish-pin.ts";

/** Every durable function of the product. */
export const functions = [
  applyPaymentEvent,
  askWeeks,
  checkLink,
  collectPaymentEvents,
  eraseUser,
  gatherDigests,
  gatherResults,
  generatePin,
  publishPin,
  recheckLinks,
  recordHealth,
  retire,
  sendLetter,
  sendResetMail,
  sendVerificationMail,
  sweep,
  tellWeeks,
];
