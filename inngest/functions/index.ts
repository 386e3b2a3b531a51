import { eraseUser } from "./erase-user.ts";
import { generatePin } from "./generate-pin.ts";
import { publishPin } from "./publish-pin.ts";
import { recordHealth } from "./record-health.ts";
import { retire } from "./retire.ts";
import { sendLetter } from "./send-letter.ts";
import { sendResetMail } from "./send-reset.ts";
import { sendVerificationMail } from "./send-verification.ts";
import { sweep } from "./sweep.ts";

/** Every durable function of the product. */
export const functions = [
  eraseUser,
  generatePin,
  publishPin,
  recordHealth,
  retire,
  sendLetter,
  sendResetMail,
  sendVerificationMail,
  sweep,
];
