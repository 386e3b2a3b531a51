import { sendVerificationMail } from "./send-verification.ts";

/** Every durable function of the product. */
export const functions = [sendVerificationMail];
