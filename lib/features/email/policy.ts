import { unreachable } from "#lib/core/errors.ts";
import { GENERATED_POSTS_PATH, generatedPostsUrl } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import type { DigestSection, EmailContent, SignInChange } from "./schema.ts";

export interface SenderInfo {
  productName: string;
  appUrl: string;
  supportEmail: string;
}

export interface EmailAction {
  label: string;
  link: string;
}

export interface EmailCopy {
  subject: string;
  heading: string;
  paragraphs: string[];
  action?: EmailAction;
  lists?: { heading: string; items: { name: string; detail: string }[]; rest?: string; action: EmailAction }[];
  /** Typed by a person, shown as is. */
  quote?: { about: { label: string; value: string }[]; text: string };
  note?: string;
}

/** Empty: the address is not confirmed, so nothing that its user typed is shown. */
export const greeting = (firstName: string): string => (firstName === "" ? "Hello," : `Hi ${firstName},`);

type ContentOf<K extends EmailContent["kind"]> = Extract<EmailContent, { kind: K }>;

const verification = ({ productName }: SenderInfo, link: string): EmailCopy => ({
  subject: `Confirm your email for ${productName}`,
  heading: "Confirm your email",
  paragraphs: ["Hello,", "Please confirm that this is your email address. The link is valid for 48 hours."],
  action: { label: "Confirm my email", link },
  note: `If you didn't sign up for ${productName}, you can ignore this email.`,
});

const reset = ({ firstName }: ContentOf<"reset">, { productName }: SenderInfo, link: string): EmailCopy => ({
  subject: `Reset your ${productName} password`,
  heading: "Choose a new password",
  paragraphs: [
    greeting(firstName),
    "We received a request to reset your password. The link works once, expires in one hour, and signs you out on all your devices.",
  ],
  action: { label: "Choose a new password", link },
  note: "If you didn't request this, you can ignore this email. Your password won't change.",
});

const passwordChanged = (
  { firstName, hasRemovedAccess }: ContentOf<"password_changed">,
  { productName, appUrl }: SenderInfo,
): EmailCopy => ({
  subject: `Your ${productName} password was changed`,
  heading: "Your password was changed",
  paragraphs: [
    greeting(firstName),
    "Your password was just changed. Other devices have been signed out.",
    hasRemovedAccess
      ? "To protect your account, passkeys, Google sign-in, API keys, apps, and webhooks from before you confirmed this email address no longer work. Add the ones you need again in Settings."
      : "Your passkeys and Google sign-in still work. Review them in Settings.",
    "If this wasn't you, reset your password right away.",
  ],
  action: { label: "Reset my password", link: `${appUrl}/forgot-password` },
});

const SIGN_IN_CHANGE_TEXTS: Record<SignInChange, (detail: string) => string> = {
  passkey_added: (name) => `The passkey “${name}” was added to your account.`,
  passkey_removed: (name) => `The passkey “${name}” was removed from your account.`,
  codes_enabled: () => "Two-step sign-in was turned on.",
  codes_disabled: () => "Two-step sign-in was turned off.",
  recovery_codes_created: () => "New recovery codes were created. The old ones don't work anymore.",
  google_linked: (email) => `The Google account ${email} was connected to your account.`,
  google_unlinked: (email) => `The Google account ${email} was disconnected from your account.`,
  api_key_created: (name) => `The API key “${name}” was created.`,
  api_key_rotated: (name) => `The secret of the API key “${name}” was replaced. The old one doesn't work anymore.`,
  api_key_revoked: (name) => `The API key “${name}” was revoked.`,
  app_connected: (name) => `The app “${name}” was given access to your account.`,
  app_disconnected: (name) => `The app “${name}” was disconnected from your account.`,
};

const isProgramChange = (change: SignInChange): boolean => /^(?:api_key|app)_/.test(change);

const signInChanged = (
  { firstName, change, detail }: ContentOf<"sign_in_changed">,
  { productName, appUrl }: SenderInfo,
): EmailCopy => {
  const ofProgram = isProgramChange(change);
  const advice = ofProgram ? "review your keys and apps" : "review how you sign in under Settings";
  return {
    subject: ofProgram
      ? `Access to your ${productName} account has changed`
      : `How you sign in to ${productName} has changed`,
    heading: ofProgram ? "Access to your account has changed" : "How you sign in has changed",
    paragraphs: [
      greeting(firstName),
      SIGN_IN_CHANGE_TEXTS[change](detail),
      "If this was you, you don't need to do anything.",
      `If this wasn't you, change your password right away, then ${advice}.`,
    ],
    action: ofProgram
      ? { label: "Review keys and apps", link: `${appUrl}/app/settings/api-keys` }
      : { label: "Open Settings", link: `${appUrl}/app/settings#password` },
  };
};

const newDevice = (
  { firstName, device, network, at }: ContentOf<"new_device">,
  { productName, appUrl }: SenderInfo,
): EmailCopy => ({
  subject: `New sign-in to your ${productName} account`,
  heading: "New sign-in to your account",
  paragraphs: [
    greeting(firstName),
    "Someone signed in to your account from a new browser or app.",
    `Device: ${device}`,
    `Time: ${at}`,
    `Network: ${network}`,
    "If this was you, you don't need to do anything.",
    "If this wasn't you, change your password right away. That signs out all your other devices.",
  ],
  action: { label: "Change my password", link: `${appUrl}/app/settings#password` },
  note: `You can also review your devices and activity in Settings. If you can't sign in, reset your password: ${appUrl}/forgot-password`,
});

const emailChange = ({ productName }: SenderInfo, link: string): EmailCopy => ({
  subject: `Confirm your new email for ${productName}`,
  heading: "Confirm your new email",
  paragraphs: [
    "Hello,",
    `You asked to use this address for your ${productName} account. Confirm it to make the change. The link works once and expires in 24 hours.`,
  ],
  action: { label: "Confirm my new email", link },
  note: "If you didn't request this, you can ignore this email. Nothing will change.",
});

const emailChangeRequested = (
  content: ContentOf<"email_change_asked">,
  { productName, appUrl }: SenderInfo,
): EmailCopy => ({
  subject: `Request to change your ${productName} email`,
  heading: "Your email is about to change",
  paragraphs: [
    greeting(content.firstName),
    `Someone who is signed in to your account asked to change the email on your ${productName} account${content.newEmail && ` to ${content.newEmail}`}. Nothing changes until the new address is confirmed.`,
    "If this wasn't you, reset your password right away. That cancels the change and signs everyone out.",
  ],
  action: { label: "Reset my password", link: `${appUrl}/forgot-password` },
  note: "If this was you, you don't need to do anything here.",
});

const emailChanged = (content: ContentOf<"email_changed">, { productName, supportEmail }: SenderInfo): EmailCopy => ({
  subject: `Your ${productName} email was changed`,
  heading: "Your email was changed",
  paragraphs: [
    greeting(content.firstName),
    `Your ${productName} account now uses ${content.newEmail || "another address"}. We won't send any more emails to this address.`,
    `If this wasn't you, contact ${supportEmail} right away.`,
  ],
});

const contactMessage = ({ name, email, subject, message }: ContentOf<"contact_message">): EmailCopy => ({
  subject: `Contact form: ${subject}`,
  heading: "New message from the contact form",
  paragraphs: ["Replies to this email go to the sender."],
  quote: {
    about: [
      { label: "Name", value: name },
      { label: "Email", value: email },
      { label: "Subject", value: subject },
    ],
    text: message,
  },
});

/** Anyone can enter a stranger's address, so nothing typed into the form is repeated. */
const contactReceived = ({ productName, supportEmail }: SenderInfo): EmailCopy => ({
  subject: `We received your message to ${productName}`,
  heading: "We received your message",
  paragraphs: ["Hello,", `Thanks for getting in touch. We'll reply to this address from ${supportEmail}.`],
  note: "If you didn't write to us, someone entered your address in our contact form. You don't need to do anything.",
});

const accountDeleted = (
  { firstName }: ContentOf<"farewell">,
  { productName, supportEmail }: SenderInfo,
): EmailCopy => ({
  subject: `Your ${productName} account was deleted`,
  heading: "Your account was deleted",
  paragraphs: [
    greeting(firstName),
    "Your account has been deleted. Scheduled pins won't be published. We're erasing your pins, images, connected Pinterest accounts, and all other personal data.",
    "Pins that are already on Pinterest stay there.",
  ],
  note: `This is the last email we'll send to this address. If this wasn't you, contact ${supportEmail}.`,
});

const countCredits = (credits: number): string =>
  credits === 0 ? "no credits" : `${formatCount(credits)} ${credits === 1 ? "credit" : "credits"}`;

const creditsLow = (content: ContentOf<"credits_low">, { productName, appUrl }: SenderInfo): EmailCopy => ({
  subject: `Your ${productName} credits are running low`,
  heading: "Your credits are running low",
  paragraphs: [
    greeting(content.firstName),
    `You have ${countCredits(content.availableCredits)} left. Buy more to keep creating pins. Purchased credits never expire.`,
  ],
  action: { label: "Buy more credits", link: `${appUrl}/app/buy-credits` },
  note: "You're getting this email because your balance dropped below 10 credits. We won't email you about this again unless your balance goes back to 10 or more and then drops.",
});

const count = (n: number, one: string, many: string): string => (n === 1 ? `A ${one}` : `${n} ${many}`);

/** Also the subject of an email with a single section. */
const headlineOf = ({ about, total, items }: DigestSection): string => {
  switch (about) {
    case "pins_failed":
      return `${count(total, "pin wasn't", "pins weren't")} published`;
    case "account_lost":
      return total === 1 ? `Reconnect ${items[0]?.subject ?? "Pinterest"}` : `Reconnect ${total} accounts`;
    case "links_dead":
      return count(total, "link has stopped working", "links have stopped working");
    default:
      return unreachable(about);
  }
};

const DIGEST_ACTIONS = {
  pins_failed: { label: "Review and retry failed pins", path: generatedPostsUrl("failed") },
  account_lost: { label: "Reconnect", path: "/app" },
  links_dead: { label: "Review your pins' links", path: GENERATED_POSTS_PATH },
} as const;

const digest = ({ firstName, sections }: ContentOf<"digest">, { productName, appUrl }: SenderInfo): EmailCopy => {
  const [only] = sections;
  const headline = only && sections.length === 1 ? headlineOf(only) : "Some of your pins need attention";
  return {
    subject: `${headline} (${productName})`,
    heading: headline,
    paragraphs: [greeting(firstName), "Here's what needs your attention."],
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
    note: "We group everything from the same hour into one email.",
  };
};

const webhookDisabled = (
  { firstName, url, reason }: ContentOf<"webhook_disabled">,
  { productName, appUrl }: SenderInfo,
): EmailCopy => ({
  subject: `Your ${productName} webhook was turned off`,
  heading: "Your webhook was turned off",
  paragraphs: [
    greeting(firstName),
    reason === "gone"
      ? `Your webhook${url && ` to ${url}`} responded with status 410 (Gone), so we turned it off.`
      : `Your webhook${url && ` to ${url}`} hasn't accepted anything for three days, so we turned it off.`,
    "While it's off, we don't record new events for it. In Settings, you can see what went wrong, turn it back on, and send failed deliveries again.",
  ],
  action: { label: "View webhooks", link: `${appUrl}/app/settings/webhooks` },
});

const paymentHeld = ({ subject, reason, user, amount }: ContentOf<"payment_held">): EmailCopy => ({
  subject: `Payment needs review: ${subject}`,
  heading: "A payment was not applied",
  paragraphs: [
    reason,
    "Refund it with the payment provider, or grant the credits manually. The operations guide explains how.",
  ],
  quote: {
    about: [
      { label: "Payment", value: subject },
      { label: "Amount", value: amount },
    ],
    text: `User: ${user}`,
  },
});

/** `link` is a full URL or an empty string. */
export const emailCopyOf = (
  content: Exclude<EmailContent, { kind: "weekly_results" }>,
  sender: SenderInfo,
  link: string,
): EmailCopy => {
  switch (content.kind) {
    case "verification":
      return verification(sender, link);
    case "reset":
      return reset(content, sender, link);
    case "password_changed":
      return passwordChanged(content, sender);
    case "sign_in_changed":
      return signInChanged(content, sender);
    case "new_device":
      return newDevice(content, sender);
    case "email_change":
      return emailChange(sender, link);
    case "email_change_asked":
      return emailChangeRequested(content, sender);
    case "email_changed":
      return emailChanged(content, sender);
    case "contact_message":
      return contactMessage(content);
    case "contact_copy":
      return contactReceived(sender);
    case "farewell":
      return accountDeleted(content, sender);
    case "credits_low":
      return creditsLow(content, sender);
    case "digest":
      return digest(content, sender);
    case "webhook_disabled":
      return webhookDisabled(content, sender);
    case "payment_held":
      return paymentHeld(content);
    default:
      return unreachable(content);
  }
};
