import { unreachable } from "#lib/core/errors.ts";
import { formatCount } from "#lib/core/text.ts";
import type { DigestSection, Letter } from "./schema.ts";

/** What the words of a mail need to know about the product. */
export interface Sender {
  productName: string;
  appUrl: string;
  supportEmail: string;
}

/** A link and what it says. */
export interface Action {
  label: string;
  link: string;
}

/** The words of a mail, before they become text and HTML. */
export interface Words {
  subject: string;
  heading: string;
  paragraphs: string[];
  action?: Action;
  /** Things that happened, by kind: each list has a way to what is to be done about it. */
  lists?: { heading: string; items: { name: string; detail: string }[]; rest?: string; action: Action }[];
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

const countCredits = (credits: number): string =>
  credits === 0 ? "no credits" : `${formatCount(credits)} ${credits === 1 ? "credit" : "credits"}`;

const creditsLow = (letter: Of<"credits_low">, { productName, appUrl }: Sender): Words => ({
  subject: `Your ${productName} credits are running low`,
  heading: "Your credits are running low",
  paragraphs: [
    `Hello ${letter.firstName},`,
    `you have ${countCredits(letter.availableCredits)} left. Buy more to go on making pins; credits that you buy do not expire.`,
  ],
  action: { label: "Buy more credits", link: `${appUrl}/app/buy-credits` },
  note: "You get this mail because your balance fell below 10 credits. There is no further one until you were given 10 or more again.",
});

const count = (n: number, one: string, many: string): string => (n === 1 ? `A ${one}` : `${n} ${many}`);

/** What happened, in a few words: the subject of a mail that tells of nothing else. */
const headlineOf = ({ about, total, items }: DigestSection): string => {
  switch (about) {
    case "pins_failed":
      return `${count(total, "pin was", "pins were")} not published`;
    case "account_lost":
      return total === 1 ? `Connect ${items[0]?.subject ?? "Pinterest"} again` : `Connect ${total} accounts again`;
    case "links_dead":
      return count(total, "link no longer works", "links no longer work");
    default:
      return unreachable(about);
  }
};

const DIGEST_ACTIONS = {
  pins_failed: { label: "See what failed and try again", path: "/app/generated-posts?status=failed" },
  account_lost: { label: "Connect again", path: "/app" },
  links_dead: { label: "See your pins", path: "/app/generated-posts" },
} as const;

const digest = ({ firstName, sections }: Of<"digest">, { productName, appUrl }: Sender): Words => {
  const [only] = sections;
  const headline = only && sections.length === 1 ? headlineOf(only) : "Some of your pins need you";
  return {
    subject: `${headline} (${productName})`,
    heading: headline,
    paragraphs: [`Hello ${firstName},`, "this happened while you were away."],
    lists: sections.map((section) => {
      const { label, path } = DIGEST_ACTIONS[section.about];
      const more = section.total - section.items.length;
      return {
        heading: headlineOf(section),
        items: section.items.map(({ subject, reason }) => ({ name: subject, detail: reason })),
        ...(more > 0 && { rest: `and ${more} more` }),
        action: { label, link: `${appUrl}${path}` },
      };
    }),
    note: "What happens within an hour comes in one mail. Nothing was published twice, and nothing that you did not choose.",
  };
};

const paymentHeld = ({ subject, reason, user, amount }: Of<"payment_held">): Words => ({
  subject: `A payment needs a look: ${subject}`,
  heading: "A payment that gave nothing",
  paragraphs: [
    reason,
    "Refund it with the payment provider, or grant the credits by hand; the guide for operators says how.",
  ],
  quote: {
    about: [
      { label: "Payment", value: subject },
      { label: "Amount", value: amount },
    ],
    text: `User: ${user}`,
  },
});

/** The words of a mail. `link`: the address that its {@link Letter} is to lead to, ready to be opened. */
export const wordsOf = (letter: Exclude<Letter, { kind: "weekly_results" }>, sender: Sender, link: string): Words => {
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
    case "credits_low":
      return creditsLow(letter, sender);
    case "digest":
      return digest(letter, sender);
    case "payment_held":
      return paymentHeld(letter);
    default:
      return unreachable(letter);
  }
};
