import { unreachable } from "#lib/core/errors.ts";
import type { Letter } from "./schema.ts";

/** What the words of a mail need to know about the product. */
export interface Sender {
  productName: string;
  appUrl: string;
  supportEmail: string;
}

/** The words of a mail, before they become text and HTML. */
export interface Words {
  subject: string;
  heading: string;
  paragraphs: string[];
  action?: { label: string; link: string };
  /** What a person wrote, shown as it is. */
  quote?: { about: { label: string; value: string }[]; text: string };
  /** Small print at the end. */
  note?: string;
}

type Of<K extends Letter["kind"]> = Extract<Letter, { kind: K }>;

const verification = ({ firstName }: Of<"verification">, { productName }: Sender, link: string): Words => ({
  subject: `Confirm your email for ${productName}`,
  heading: "Is this your address?",
  paragraphs: [`Hello ${firstName},`, "please confirm that this address is yours. The link works for 48 hours."],
  action: { label: "Confirm my email", link },
  note: `If you did not register at ${productName}, you can ignore this mail.`,
});

const reset = ({ firstName }: Of<"reset">, { productName }: Sender, link: string): Words => ({
  subject: `Reset your ${productName} password`,
  heading: "Choose a new password",
  paragraphs: [
    `Hello ${firstName},`,
    "somebody asked for a new password for your account. The link works once, for one hour, and ends every login.",
  ],
  action: { label: "Choose a new password", link },
  note: "If it was not you, ignore this mail: your password stays as it is.",
});

const passwordChanged = ({ firstName }: Of<"password_changed">, { productName, appUrl }: Sender): Words => ({
  subject: `Your ${productName} password was changed`,
  heading: "Your password was changed",
  paragraphs: [
    `Hello ${firstName},`,
    "your password was changed just now. Every login has ended, but for the one it was changed with.",
    "If it was not you, choose a new one at once.",
  ],
  action: { label: "Reset my password", link: `${appUrl}/forgot-password` },
});

const emailChange = ({ firstName }: Of<"email_change">, { productName }: Sender, link: string): Words => ({
  subject: `Confirm your new email for ${productName}`,
  heading: "Use this address from now on?",
  paragraphs: [
    `Hello ${firstName},`,
    `this address was given as the new one of your ${productName} account. It changes once you confirm it. The link works once, for 24 hours.`,
  ],
  action: { label: "Confirm my new email", link },
  note: "If you did not ask for this, ignore this mail: nothing changes.",
});

const emailChangeAsked = (letter: Of<"email_change_asked">, { productName, appUrl }: Sender): Words => ({
  subject: `A new email for your ${productName} account?`,
  heading: "Somebody asked to change your email",
  paragraphs: [
    `Hello ${letter.firstName},`,
    `somebody who knows your password asked that your ${productName} account use ${letter.newEmail} from now on. It does once that address is confirmed; until then nothing changes.`,
    "If it was not you, choose a new password at once: that stops the change and ends every login.",
  ],
  action: { label: "Reset my password", link: `${appUrl}/forgot-password` },
  note: "If it was you, there is nothing to do here.",
});

const emailChanged = (letter: Of<"email_changed">, { productName, supportEmail }: Sender): Words => ({
  subject: `Your ${productName} email was changed`,
  heading: "Your email was changed",
  paragraphs: [
    `Hello ${letter.firstName},`,
    `your ${productName} account now uses ${letter.newEmail}. This address is not used any more, and this is the last mail to it.`,
    `If it was not you, write to ${supportEmail} at once.`,
  ],
});

const contactMessage = ({ name, email, subject, message }: Of<"contact_message">): Words => ({
  subject: `Contact form: ${subject}`,
  heading: "A message from the contact form",
  paragraphs: ["An answer to this mail goes to the sender."],
  quote: {
    about: [
      { label: "Name", value: name },
      { label: "Email", value: email },
      { label: "Subject", value: subject },
    ],
    text: message,
  },
});

const contactCopy = ({ name, subject, message }: Of<"contact_copy">, { productName }: Sender): Words => ({
  subject: `We have your message to ${productName}`,
  heading: "We have your message",
  paragraphs: [`Hello ${name},`, "thank you for writing. This is a copy of what we received."],
  quote: { about: [{ label: "Subject", value: subject }], text: message },
  note: "If you did not write this, somebody gave your address in our contact form. You need not do anything.",
});

const farewell = ({ firstName }: Of<"farewell">, { productName, supportEmail }: Sender): Words => ({
  subject: `Your ${productName} account was deleted`,
  heading: "Your account was deleted",
  paragraphs: [
    `Hello ${firstName},`,
    "your account was deleted just now. Scheduled pins do not go out any more. Your pins, pictures and connected Pinterest accounts are being erased with everything else that names you.",
    "What is on Pinterest already stays there.",
  ],
  note: `This is the last mail to this address. If it was not you, write to ${supportEmail}.`,
});

/** The words of a mail. `link`: the address that its {@link Letter} is to lead to, ready to be opened. */
export const wordsOf = (letter: Letter, sender: Sender, link: string): Words => {
  switch (letter.kind) {
    case "verification":
      return verification(letter, sender, link);
    case "reset":
      return reset(letter, sender, link);
    case "password_changed":
      return passwordChanged(letter, sender);
    case "email_change":
      return emailChange(letter, sender, link);
    case "email_change_asked":
      return emailChangeAsked(letter, sender);
    case "email_changed":
      return emailChanged(letter, sender);
    case "contact_message":
      return contactMessage(letter);
    case "contact_copy":
      return contactCopy(letter, sender);
    case "farewell":
      return farewell(letter, sender);
    default:
      return unreachable(letter);
  }
};
