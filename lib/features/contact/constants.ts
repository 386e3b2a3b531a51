import { DAY_MS } from "#lib/core/time.ts";

export const SUBJECT_MAX = 150;
export const MESSAGE_MAX = 5_000;

/** Copies that go to one address in a day: a form that anybody fills in must not fill somebody else's inbox. */
export const COPIES_MAX = 5;
export const COPIES_WITHIN_MS = DAY_MS;

/** Literal texts of the contact form (R-CONT-04, R-ERR-20) and its answer, true also of a message without a copy. */
export const TEXTS = {
  failed: "An error occurred. Please try again later.",
  fixForm: "Please fix the form errors before submitting.",
  sent: "Thank you. Your message has been sent.",
} as const;
