import { applyPaymentEvent } from "./apply-payment-event.ts";
import { askWeeks } from "./ask-weeks.ts";
import { checkLink } from "./check-link.ts";
import { collectPaymentEvents } from "./collect-payment-events.ts";
import { eraseUser } from "./erase-user.ts";
import { gatherDigests } from "./gather-digests.ts";
import { gatherResults } from "./gather-results.ts";
import { generatePin } from "./generate-pin.ts";
import { publishPin } from "./publish-pin.ts";
import { recheckLinks } from "./recheck-links.ts";
import { recordHealth } from "./record-health.ts";
import { retire } from "./retire.ts";
import { sendLetter } from "./send-letter.ts";
import { sendResetMail } from "./send-reset.ts";
import { sendVerificationMail } from "./send-verification.ts";
import { sweep } from "./sweep.ts";
import { tellWeeks } from "./tell-weeks.ts";

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
