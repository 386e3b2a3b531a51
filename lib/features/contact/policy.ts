import { checkEmail, checkName } from "#lib/core/person.ts";
import { DAY_MS } from "#lib/core/time.ts";

const SUBJECT_MAX = 150;
const MESSAGE_MAX = 5_000;

/** Acknowledgments to one address, so that the form cannot be used to flood an inbox. */
export const RECEIPTS_MAX = 5;
export const RECEIPTS_WITHIN_MS = DAY_MS;

export const TEXTS = {
  failed: "An error occurred. Please try again later.",
  fixForm: "Please fix the form errors before submitting.",
  sent: "Thank you. Your message has been sent.",
} as const;

export const CONTACT_FIELDS = ["name", "email", "subject", "message"] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];
export type ContactValues = Record<ContactField, string>;
type ContactErrors = Partial<Record<ContactField, string>>;

const checkSubject = (value: string): string | undefined => {
  if (!value) return "Subject is required";
  if (value.length > SUBJECT_MAX) return `Subject must be at most ${SUBJECT_MAX} characters`;
  // It becomes an email header.
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) ? "Subject must be a single line" : undefined;
};

const checkMessage = (value: string): string | undefined => {
  if (!value) return "Message is required";
  return value.length > MESSAGE_MAX ? `Message must be at most ${MESSAGE_MAX} characters` : undefined;
};

/** Checked in the browser and again on the server. */
export const checkContact = (values: ContactValues): ContactErrors => {
  const errors: Record<ContactField, string | undefined> = {
    name: checkName(values.name.trim(), "Name"),
    email: checkEmail(values.email.trim()),
    subject: checkSubject(values.subject.trim()),
    message: checkMessage(values.message.trim()),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined));
};
