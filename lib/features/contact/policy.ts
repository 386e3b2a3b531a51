import { checkEmail, checkName } from "#lib/core/person.ts";
import { DAY_MS } from "#lib/core/time.ts";

const SUBJECT_MAX = 150;
const MESSAGE_MAX = 5_000;

/** Copies that go to one address in a day: a form that anybody fills in must not fill somebody else's inbox. */
export const COPIES_MAX = 5;
export const COPIES_WITHIN_MS = DAY_MS;

/** Literal texts of the contact form (R-CONT-04, R-ERR-20) and its answer, true also of a message without a copy. */
export const TEXTS = {
  failed: "An error occurred. Please try again later.",
  fixForm: "Please fix the form errors before submitting.",
  sent: "Thank you. Your message has been sent.",
} as const;

/** The fields of the contact form, by the payload's names (R-CONT-01, R-ENT-14). */
export const CONTACT_FIELDS = ["name", "email", "subject", "message"] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];
export type ContactValues = Record<ContactField, string>;
type ContactErrors = Partial<Record<ContactField, string>>;

const checkSubject = (value: string): string | undefined => {
  if (!value) return "Subject is required";
  if (value.length > SUBJECT_MAX) return `Subject must be at most ${SUBJECT_MAX} characters`;
  // It becomes a line of a mail's head.
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) ? "Subject must be one line" : undefined;
};

const checkMessage = (value: string): string | undefined => {
  if (!value) return "Message is required";
  return value.length > MESSAGE_MAX ? `Message must be at most ${MESSAGE_MAX} characters` : undefined;
};

/** What is wrong with a message, the same in the browser and on the server (R-CONT-01, R-CONT-04). Empty when all is well. */
export const checkContact = (values: ContactValues): ContactErrors => {
  const errors: Record<ContactField, string | undefined> = {
    name: checkName(values.name.trim(), "Name"),
    email: checkEmail(values.email.trim()),
    subject: checkSubject(values.subject.trim()),
    message: checkMessage(values.message.trim()),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined));
};
