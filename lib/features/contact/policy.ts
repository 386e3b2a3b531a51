import { checkEmail, checkName } from "#lib/features/identity/policy.ts";
import { MESSAGE_MAX, SUBJECT_MAX } from "./constants.ts";

/** The fields of the contact form, by the payload's names (R-CONT-01, R-ENT-14). */
export const CONTACT_FIELDS = ["name", "email", "subject", "message"] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];
export type ContactValues = Record<ContactField, string>;
export type ContactErrors = Partial<Record<ContactField, string>>;

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
