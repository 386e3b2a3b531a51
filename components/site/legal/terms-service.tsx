import Link from "next/link";
import { type DocumentSection, MailLink } from "#components/site/document-page.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { BATCH_MAX } from "#lib/features/publishing/constants.ts";

const agreement = ({ name, postalAddress, supportEmail }: ProductFacts): DocumentSection => ({
  id: "agreement",
  title: "Who agrees with whom",
  body: (
    <>
      <p>
        These terms are a contract between you and the operator of {name}, {postalAddress}. “We” and “us” mean that
        operator, “you” the person who registers. You reach us at <MailLink address={supportEmail} />.
      </p>
      <p>
        By creating an account you accept these terms. If you register for a business, you confirm that you may do so in
        its name. If you do not agree, do not use {name}; the public pages can be read without any agreement.
      </p>
    </>
  ),
});

const age: DocumentSection = {
  id: "age",
  title: "You are 18 or over",
  body: (
    <p>
      You must be 18 or over to use the service. We ask for no proof of age, but we close an account when we learn that
      its owner is younger.
    </p>
  ),
};

const account: DocumentSection = {
  id: "account",
  title: "Your account",
  body: (
    <ul>
      <li>Give your real email address. Recovering a lost password depends on it.</li>
      <li>Keep your password to yourself. What happens under your login counts as done by you until you tell us.</li>
      <li>
        Tell us at once if somebody else has used your account. In Settings you can see the logins that are open and end
        them; a password changed there ends all others, and one set by a link from a mail ends all.
      </li>
      <li>One person or business, one account. Do not open several to collect free credits.</li>
    </ul>
  ),
};

const service = ({ name }: ProductFacts): DocumentSection => ({
  id: "service",
  title: "What the service does",
  body: (
    <>
      <p>
        {name} makes drafts of pins from keywords with the help of AI models, keeps them for you, and publishes those
        you have chosen to your own Pinterest accounts at the times you have set.
      </p>
      <ul>
        <li>Every pin is a draft until you choose it. We publish nothing that you did not choose.</li>
        <li>
          You can schedule up to {BATCH_MAX} pins at once, take a scheduled pin back while it is not being published,
          and see for each pin what was sent and when.
        </li>
        <li>
          Pins go out at the time you set as nearly as Pinterest allows. When Pinterest is unreachable, limits calls or
          asks an account to slow down, they go out later, and the pin says so. We give no guarantee for a certain
          minute.
        </li>
        <li>
          When it stays unclear whether Pinterest has created a pin, we look at your board before we try again, and
          leave the decision to you when even that does not tell.
        </li>
      </ul>
      <p>
        We improve the service as we go and may change how it works. If we take away something essential that you have
        paid for, we tell you at least 30 days ahead, and you may end your plan and have the unused part of its fee
        back.
      </p>
    </>
  ),
});

const pinterest = ({ name }: ProductFacts): DocumentSection => ({
  id: "pinterest",
  title: "Pinterest",
  body: (
    <>
      <p>
        {name} works with Pinterest through its official interface. It is not made, endorsed or supervised by Pinterest.
        What you do there is also subject to Pinterest’s own terms, community guidelines and advertising rules.
      </p>
      <ul>
        <li>Connect only accounts that are yours or that you are authorised to manage.</li>
        <li>
          By connecting an account you let us read its boards and counts and create pins in it. You can take that back
          at any time: remove the account here, or revoke the access in Pinterest’s settings.
        </li>
        <li>
          When you remove an account, its scheduled pins become drafts again. Pins that are published stay at Pinterest;
          delete them there if you want them gone.
        </li>
        <li>
          If Pinterest ends or limits our access, or your account’s, parts of the service stop working. We cannot
          overrule Pinterest, and are not responsible for its decisions about your account.
        </li>
      </ul>
    </>
  ),
});

const content: DocumentSection = {
  id: "content",
  title: "Your content, and what AI makes",
  body: (
    <>
      <p>
        What you type and what is made from it is yours as far as the law allows anybody to own it. We claim no rights
        in it, except that we may store, convert and send it as far as the service needs that: to the AI provider to
        make a pin, to Pinterest to publish it, to you to show it. We do not train models with it.
      </p>
      <ul>
        <li>
          AI makes mistakes. It may state something untrue or draw something that resembles the work of others. Check
          title, description, link and picture before you choose a pin; you answer for what is published in your name.
        </li>
        <li>Somebody else who types the same keyword may get something similar. What you get is not exclusive.</li>
        <li>
          Pictures made by AI carry a mark in their data that says so, and pins are sent to Pinterest with its label for
          AI content, where Pinterest takes it. Laws in some countries demand this. Do not remove it.
        </li>
        <li>
          The AI provider refuses some subjects. Such a pin fails with a reason you can read, and its credits come back.
        </li>
      </ul>
      <p>
        Keep a copy of what you cannot do without. We make backups to bring the service back after a failure, not to
        restore what you have deleted.
      </p>
    </>
  ),
};

const conduct = ({ name }: ProductFacts): DocumentSection => ({
  id: "acceptable-use",
  title: "What you may not do",
  body: (
    <>
      <p>Do not use {name} to</p>
      <ul>
        <li>
          publish what is illegal, hateful, sexual, violent or deceptive, or what infringes other people’s rights;
        </li>
        <li>show real people in a way they have not agreed to, or pass AI pictures off as photographs of events;</li>
        <li>
          flood Pinterest with near-identical pins, mislead people about where a link goes, or offer rewards for saving
          pins;
        </li>
        <li>get around limits of the service, of your plan or of Pinterest, or probe where they lie;</li>
        <li>reach data of other users, disturb the service or test its security without our written consent;</li>
        <li>resell access to it, or build a competing service by copying it.</li>
      </ul>
      <p>
        Found a security hole by accident? Write to us; we are grateful, and will not hold it against you. How to reach
        us stands on the{" "}
        <Link className="link" href="/contact-us">
          contact page
        </Link>
        .
      </p>
    </>
  ),
});

/** The first half of the terms: who, and what the service is (R-LEGAL-01, R-GEN-07). */
export const serviceTerms = (product: ProductFacts): readonly DocumentSection[] => [
  agreement(product),
  age,
  account,
  service(product),
  pinterest(product),
  content,
  conduct(product),
];
