import Link from "next/link";
import { type DocumentSection, EmailLink } from "#components/site/document-page.tsx";
import { DefinitionList } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { DAY_MS } from "#lib/core/time.ts";

const days = (ms: number): string => (ms === DAY_MS ? "1 day" : `${ms / DAY_MS} days`);

/** One row per retention rule; a missing row is a type error. */
const RETENTION_ROWS: Record<keyof typeof RETENTION_MS, (time: string) => { what: string; how: string }> = {
  login: (time) => ({ what: "Sign-in sessions", how: `${time} after they end` }),
  verification: (time) => ({
    what: "Links that confirm an email address",
    how: `${time} after they were used or expired`,
  }),
  passwordReset: (time) => ({ what: "Password reset links", how: `${time} after they were used or expired` }),
  emailChange: (time) => ({ what: "Email address changes", how: `${time} after they were completed or expired` }),
  authChallenge: (time) => ({ what: "Sign-ins that were started but not finished", how: `${time} after they expired` }),
  securityEvent: (time) => ({
    what: "Your security log: sign-ins and changes to your account, with device and network",
    how: time,
  }),

  apiKey: (time) => ({ what: "API keys and connected apps", how: `${time} after they were revoked or expired` }),
  appConsent: (time) => ({
    what: "App connections that were started but not finished",
    how: `${time} after they expired`,
  }),
  oauthClient: (time) => ({
    what: "Apps that can ask for access: the name and web addresses they registered",
    how: `${time} after they were last used`,
  }),
  apiKeyUse: (time) => ({ what: "What was done with your API keys: calls, results, and networks", how: time }),
  apiKeySpending: (time) => ({ what: "How many credits your API keys spent in a day", how: time }),
  apiWrite: (time) => ({ what: "Responses to API calls, kept so that a repeated request isn’t run twice", how: time }),
  email: (time) => ({ what: "Emails that couldn’t be delivered", how: `${time}; sent emails are deleted immediately` }),
  digestEntry: (time) => ({
    what: "Items waiting for your next email: titles of failed pins, disconnected accounts",
    how: `${time} after the event`,
  }),
  contactMessage: (time) => ({ what: "Messages to support", how: time }),
  consent: (time) => ({
    what: "Pinterest connections that were started but not finished",
    how: `${time} after they expired`,
  }),
  freeAllowanceClaim: (time) => ({
    what: "A hash of the Pinterest ID that free credits were given for, even if you remove the account or delete yours",
    how: `${time} after the last free credits for it`,
  }),
  finishedGroup: (time) => ({
    what: "Generation details: keywords, links, text drafts",
    how: `${time} after the last pin of a batch was generated; the pins stay`,
  }),
  deletedPin: (time) => ({ what: "Deleted pins, so that you can restore them", how: time }),
  deletedVideo: (time) => ({ what: "Deleted saved videos, so that you can restore them", how: time }),
  orphanedImage: (time) => ({
    what: "Images of deleted drafts and failed pins, and images and logos that you replaced",
    how: time,
  }),
  savedUpload: (time) => ({
    what: "Images from uploads that were rejected or interrupted, so that you don’t have to send them again",
    how: time,
  }),
  submission: (time) => ({ what: "Records that an upload was received, so no pin is created twice", how: time }),
  pinImport: (time) => ({
    what: "Spreadsheets you import, with their rows and images, unless you finish or discard the import earlier",
    how: `${time} after your last change`,
  }),
  linkCheck: (time) => ({
    what: "Results of link checks",
    how: `${time} after a pin last used the link`,
  }),
  strayLinkCheck: (time) => ({
    what: "Results of link checks when no pin uses the link anymore",
    how: `${time} after a pin last used the link`,
  }),
  rateLimit: (time) => ({
    what: "Counts of requests and failed sign-ins, stored with an irreversible code made from an IP address or email",
    how: `${time} after the limit ended`,
  }),
  pageReading: (time) => ({
    what: "Text we read from public pages to write your drafts",
    how: `${time} after the page was read; the generation details keep a summary`,
  }),
  pageProposal: (time) => ({
    what: "New pages of sites that you watch",
    how: `${time} after we found them, or as soon as you dismiss them or stop watching the site`,
  }),
  webhookMessage: (time) => ({
    what: "What we sent to your webhooks, and how they responded",
    how: `${time}, or until you delete the webhook`,
  }),
  liveEvent: (time) => ({ what: "Live update events (IDs only)", how: time }),
  checkout: (time) => ({ what: "Checkouts that were opened but never paid", how: time }),
  paymentEvent: (time) => ({ what: "Payment messages as the payment provider sent them", how: time }),
  healthMinute: (time) => ({ what: "Uptime records (no personal data)", how: time }),
};

const isRetentionRule = (key: string): key is keyof typeof RETENTION_MS => key in RETENTION_MS;

const retentionTable = (name: string) => [
  {
    what: "Account, Pinterest accounts, brand kits, pins, images, receipts, keyword lists, saved videos",
    how: "As long as your account exists, or until you delete the pin, list, or video",
  },
  {
    what: "Access tokens for a Pinterest account",
    how: `Until you remove the account from ${name}, then deleted immediately`,
  },
  {
    what: `Pinterest’s metrics for pins you published with ${name}`,
    how: `Up to 1 day (up to 2 in an email that couldn’t be delivered). Deleted when you remove the account from ${name}. We keep a note of which pins are no longer on Pinterest for 30 days`,
  },
  ...Object.keys(RETENTION_MS)
    .filter(isRetentionRule)
    .map((key) => RETENTION_ROWS[key](days(RETENTION_MS[key]))),
  {
    what: "The credit ledger",
    how: "Kept as a record of what was granted and used; without your name or address once the account is deleted",
  },
  {
    what: "Payments and refunds: purpose, amount, date, invoice number",
    how: "Kept as required by accounting law; your customer ID with the payment provider and how you paid are deleted with the account",
  },
];

const keeping = ({ name }: ProductFacts): DocumentSection => ({
  id: "how-long-we-keep-it",
  title: "How long we keep it",
  body: (
    <>
      <DefinitionList isWordy>
        {retentionTable(name).map(({ what, how }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </DefinitionList>
      <p>
        Expired data is deleted automatically every night. When you delete your account, your name, email address, and
        password are deleted immediately, you are signed out everywhere, the access tokens for your Pinterest accounts
        are deleted, and scheduled pins are no longer published. Pins, images, brand kits with their logos, receipts,
        keyword lists, saved videos, and messages sent from your confirmed address are deleted within the hour. An
        active plan is canceled with the payment provider as soon as it can be reached. What remains is the credit
        ledger, the payments, and the record that the account was deleted, all under an ID that doesn’t identify you,
        and for a limited time a hash of the Pinterest ID that free credits were given for. Published pins stay on
        Pinterest, where you can delete them.
      </p>
      <p>
        Backups contain deleted data until newer backups replace them. They are used only to recover from a failure.
      </p>
    </>
  ),
});

const security: DocumentSection = {
  id: "security",
  title: "How we protect it",
  body: (
    <ul>
      <li>
        Passwords are hashed with Argon2id. Pinterest tokens are encrypted at rest (AES-256-GCM), with a key that is
        stored separately.
      </li>
      <li>
        Links in emails work once and for a limited time, and only their hash is stored. An unsubscribe link works for
        as long as you keep it, but can’t do anything else.
      </li>
      <li>You can sign out any device in Settings. Resetting your password by email signs out all of them.</li>
      <li>Your account can only ever see its own data. Other users can’t see yours, and you can’t see theirs.</li>
      <li>
        If something does go wrong and puts your data at risk, we’ll notify the authorities within 72 hours where
        required by law, and you without delay if the risk is high.
      </li>
    </ul>
  ),
};

const rights = ({ supportEmail }: ProductFacts): DocumentSection => ({
  id: "your-rights",
  title: "Your rights",
  body: (
    <>
      <ul>
        <li>
          <b>Access and portability.</b> In Settings you can download everything we store about you, in a
          machine-readable format (JSON).
        </li>
        <li>
          <b>Correction.</b> You can change your email address and password in Settings. Email us to correct your name.
        </li>
        <li>
          <b>Deletion.</b> You can delete your account in Settings, or ask us to do it.
        </li>
        <li>
          <b>Objection and restriction.</b> You can object to processing based on legitimate interest, and ask us to
          stop using your data while a dispute is settled.
        </li>
        <li>
          <b>Withdrawing consent.</b> You can withdraw consent at any time at the bottom of every public page. That
          doesn’t affect anything we did before you withdrew it.
        </li>
      </ul>
      <p>
        Email <EmailLink address={supportEmail} /> for anything you can’t do in Settings. We reply within one month, and
        it’s free. We may ask you to show that the account is yours.
      </p>
      <p>
        You can also complain to a data protection authority. In the UK, that’s the Information Commissioner’s Office (
        <a className="link" href="https://ico.org.uk/make-a-complaint/">
          ico.org.uk
        </a>
        ). Elsewhere, contact your local data protection authority. We’d appreciate the chance to help first.
      </p>
    </>
  ),
});

const children: DocumentSection = {
  id: "age",
  title: "No one under 18",
  body: (
    <p>
      {
        "The service is for people 18 and older. We don’t knowingly store data about anyone younger. If you notice that we do, tell us and we’ll delete it. See the "
      }
      <Link className="link" href="/terms-of-service#age">
        terms
      </Link>
      .
    </p>
  ),
};

const changes: DocumentSection = {
  id: "changes",
  title: "Changes to this policy",
  body: (
    <p>
      Before we change how we use data, we’ll update this page and its date. If the change affects you as a user, we’ll
      also email you.
    </p>
  ),
};

/** The last part of the privacy policy: retention, security and rights. */
export const rightsSections = (product: ProductFacts): readonly DocumentSection[] => [
  keeping(product),
  security,
  rights(product),
  children,
  changes,
];
