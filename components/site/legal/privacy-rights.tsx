import Link from "next/link";
import { type DocumentSection, MailLink } from "#components/site/document-page.tsx";
import { Facts } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { DAY_MS } from "#lib/core/time.ts";

const days = (ms: number): string => (ms === DAY_MS ? "1 day" : `${ms / DAY_MS} days`);

/** A line for each time that the nightly function knows: one without words does not compile. */
const RETIRED: Record<keyof typeof RETENTION_MS, (time: string) => { what: string; how: string }> = {
  login: (time) => ({ what: "Logins", how: `${time} after they ended` }),
  verification: (time) => ({
    what: "Links that confirm an address",
    how: `${time} after they were used or ran out`,
  }),
  passwordReset: (time) => ({ what: "Links for a new password", how: `${time} after they were used or ran out` }),
  emailChange: (time) => ({ what: "Changes of an address", how: `${time} after they ended or ran out` }),
  letter: (time) => ({ what: "Mails that no mail server took", how: `${time}; those that were sent go at once` }),
  digestEntry: (time) => ({
    what: "What a mail is to tell you: titles of pins that failed, accounts that lost their connection",
    how: `${time} after it happened`,
  }),
  contactMessage: (time) => ({ what: "Messages to support", how: time }),
  consent: (time) => ({ what: "Connections to Pinterest that were begun", how: `${time} after they ran out` }),
  finishedGroup: (time) => ({
    what: "The course of making pins: keywords, links, drafts of texts",
    how: `${time} after the last of them was made; the pins stay`,
  }),
  deletedPin: (time) => ({ what: "Deleted pins, so that you can bring them back", how: time }),
  deletedVideo: (time) => ({ what: "Deleted saved videos, so that you can bring them back", how: time }),
  orphanedImage: (time) => ({
    what: "Pictures of deleted drafts and of pins that failed, and pictures and logos that you replaced",
    how: time,
  }),
  keptImage: (time) => ({
    what: "Pictures of sets of pins that were refused or broke off, so that you need not send them again",
    how: time,
  }),
  submission: (time) => ({ what: "Marks of sets of pins that were sent, so that none is made twice", how: time }),
  linkCheck: (time) => ({
    what: "What was found behind the links of pins",
    how: `${time} after a pin last asked for it`,
  }),
  strayLinkCheck: (time) => ({
    what: "The same, when no pin leads there any more",
    how: `${time} after a pin last asked for it`,
  }),
  liveEvent: (time) => ({ what: "The feed of live updates, ids only", how: time }),
  checkout: (time) => ({ what: "Checkouts that were opened and never paid", how: time }),
  paymentEvent: (time) => ({ what: "What the payment provider told us of a payment, as it was told", how: time }),
  healthMinute: (time) => ({ what: "Minutes in which the service worked; nothing about anybody", how: time }),
};

const isRetired = (key: string): key is keyof typeof RETENTION_MS => key in RETENTION_MS;

const KEPT = [
  {
    what: "Account, Pinterest accounts, brand kits, pins, pictures, receipts, saved videos",
    how: "As long as your account exists, or until you delete the pin or video",
  },
  { what: "Tokens of a Pinterest account", how: "Until you remove that account here; erased at that moment" },
  {
    what: "Pinterest’s figures of the pins that you published here",
    how: "1 day at most, in a mail that no mail server takes 1 day more; erased with that account when you remove it here. Which pins are gone there: 30 days",
  },
  ...Object.keys(RETENTION_MS)
    .filter(isRetired)
    .map((key) => RETIRED[key](days(RETENTION_MS[key]))),
  {
    what: "The ledger of credits",
    how: "Stays, as a record of what was granted and used; without your name or address once the account is deleted",
  },
  {
    what: "Payments and refunds: what for, amount, date, invoice number",
    how: "Stay, as the law on bookkeeping demands; the payment provider’s id of you, and how you paid, go with the account",
  },
];

const keeping: DocumentSection = {
  id: "how-long-we-keep-it",
  title: "How long we keep it",
  body: (
    <>
      <Facts isWordy>
        {KEPT.map(({ what, how }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </Facts>
      <p>
        A function deletes what is due every night. When you delete your account, your name, email address and password
        go at once, your logins end, the tokens of your Pinterest accounts are erased, and nothing that is scheduled
        goes out any more. Pins, pictures, brand kits with their logos, receipts, saved videos and the messages you sent
        from your confirmed address are erased within the hour. A running plan is ended at the payment provider; when
        that cannot be reached, as soon as it can. What stays is the ledger of credits, the payments and the record that
        the account was erased, all under an id that names nobody. Pins that are published stay at Pinterest, where they
        are yours to delete.
      </p>
      <p>
        Backups still hold deleted data until they are replaced by newer ones. They are used only to recover from a
        failure.
      </p>
    </>
  ),
};

const security: DocumentSection = {
  id: "security",
  title: "How it is protected",
  body: (
    <ul>
      <li>
        Passwords are hashed with Argon2id. Pinterest tokens are encrypted at rest (AES-256-GCM) with a key kept apart.
      </li>
      <li>
        Links in mails work once, for a limited time, and only their hash is stored. One that stops mails works for as
        long as you keep it, and does nothing else.
      </li>
      <li>Every login can be ended by you, and ends for good. A new password set by a link from a mail ends all.</li>
      <li>Each query for your data is bound to your account; what belongs to others looks as if it did not exist.</li>
      <li>
        If something does go wrong and puts your data at risk, we tell the authority within 72 hours where the law
        demands it, and you without delay if the risk is high.
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
          <b>See and take along.</b> Settings has a download of everything we store about you, in a form that machines
          can read (JSON).
        </li>
        <li>
          <b>Correct.</b> You can change your email address and password in Settings; write to us to correct a name.
        </li>
        <li>
          <b>Delete.</b> You can delete your account in Settings, or ask us to do it.
        </li>
        <li>
          <b>Object, or restrict.</b> You can object to what we do out of legitimate interest, and ask us to keep data
          without using it while a matter is being settled.
        </li>
        <li>
          <b>Take consent back.</b> At the foot of every public page, at any time. What happened before stays lawful.
        </li>
      </ul>
      <p>
        Write to <MailLink address={supportEmail} /> for whatever Settings cannot do. We answer within one month, and it
        costs nothing. We may ask for something that shows the account is yours.
      </p>
      <p>
        You may also complain to an authority: in the United Kingdom that is the Information Commissioner’s Office (
        <a className="link" href="https://ico.org.uk/make-a-complaint/">
          ico.org.uk
        </a>
        ), elsewhere the one of your country. We would be glad to hear of it first.
      </p>
    </>
  ),
});

const children: DocumentSection = {
  id: "age",
  title: "Nobody under 18",
  body: (
    <p>
      {
        "The service is for people of 18 and over. We do not knowingly store data of younger people; tell us if you see that we do, and we delete them. See the "
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
      When what we do with data changes, this page changes first, with its date. If it matters to you as a user, we tell
      you by email as well.
    </p>
  ),
};

/** The last part of the privacy policy: how long, how safe, and what you can demand. */
export const rightsSections = (product: ProductFacts): readonly DocumentSection[] => [
  keeping,
  security,
  rights(product),
  children,
  changes,
];
