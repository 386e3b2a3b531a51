import { generatePin } from "./generate-pin.ts";
import { publishPin } from "./publish-pin.ts";
import { retire } from "./retire.ts";
import { sendVerificationMail } from "./send-verification.ts";
import { sweep } from "./sweep.ts";

/** Every durable function of the product. */
export const functions = [generatePin, publishPin, retire, sendVerificationMail, sweep];
