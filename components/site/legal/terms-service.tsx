import Link from "next/link";
import { type DocumentSection, EmailLink } from "#components/site/document-page.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { BATCH_MAX } from "#lib/features/publishing/constants.ts";

const agreement = ({ name, postalAddress, supportEmail }: ProductFacts): DocumentSection => ({
  id: "agreement",
  title: "Our agreement",
  body: (
    <>
      <p>
        These terms are a contract between you and the operator of {name}, {postalAddress}. “We” and “us” mean that
        operator, and “you” means the person who creates the account. You can reach us at{" "}
        <EmailLink address={supportEmail} />.
      </p>
      <p>
        By creating an account, you accept these terms. If you sign up on behalf of a business, you confirm that you are
        authorized to act on its behalf. If you don’t agree, don’t use {name}. You can read the public pages without
        accepting anything.
      </p>
    </>
  ),
});

const age: DocumentSection = {
  id: "age",
  title: "You are 18 or older",
  body: (
    <p>
      You must be 18 or older to use the service. We don’t ask for proof of age, but we’ll close an account if we learn
      that its owner is younger.
    </p>
  ),
};

const account: DocumentSection = {
  id: "account",
  title: "Your account",
  body: (
    <ul>
      <li>Use your real email address. You need it to reset your password.</li>
      <li>
        Keep your password secret. You are responsible for what happens under your account until you tell us that
        someone else has access to it.
      </li>
      <li>
        Tell us right away if someone else has used your account. In Settings you can see where you are signed in and
        sign out other devices. Changing your password there signs out all other devices, and resetting it with a link
        from an email signs out all of them.
      </li>
      <li>One account per person or business. Don’t open several accounts to collect free credits.</li>
    </ul>
  ),
};

const service = ({ name }: ProductFacts): DocumentSection => ({
  id: "service",
  title: "What the service does",
  body: (
    <>
      <p>
        {name} uses AI models to create draft pins from your keywords, stores them for you, and publishes the ones you
        select to your own Pinterest accounts at the times you set.
      </p>
      <ul>
        <li>
          Every pin is a draft until you select it. We publish only pins that you, or a program or app that you allowed
          to schedule, selected.
        </li>
        <li>
          You can schedule up to {BATCH_MAX} pins at once, unschedule a pin unless it is being published at that moment,
          and see what was sent for each pin and when.
        </li>
        <li>
          Pins are published as close to the scheduled time as Pinterest allows. If Pinterest is unavailable, limits our
          requests, or asks an account to slow down, they are published later, and the pin says so. We don’t guarantee
          an exact minute.
        </li>
        <li>
          If it is unclear whether Pinterest created a pin, we check your board before we try again. If that doesn’t
          settle it, we leave the decision to you.
        </li>
      </ul>
      <p>
        We keep improving the service and may change how it works. If we remove something essential that you have paid
        for, we’ll tell you at least 30 days in advance, and you may end your plan and get a refund for the unused part.
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
        {name} works with Pinterest through its official API. It is not made, endorsed, or supervised by Pinterest. What
        you do on Pinterest is also subject to Pinterest’s own terms, community guidelines, and advertising rules.
      </p>
      <ul>
        <li>Only connect accounts that are yours or that you are authorized to manage.</li>
        <li>
          By connecting an account, you allow us to read its boards and metrics and to create pins on it. You can
          withdraw this permission at any time: remove the account from {name}, or revoke access in your Pinterest
          settings.
        </li>
        <li>
          When you remove an account, its scheduled pins become drafts again. Published pins stay on Pinterest. If you
          don’t want them there, delete them on Pinterest.
        </li>
        <li>
          If Pinterest ends or limits our access, or your account’s, parts of the service stop working. We can’t
          overrule Pinterest and are not responsible for its decisions about your account.
        </li>
      </ul>
    </>
  ),
});

const content: DocumentSection = {
  id: "content",
  title: "Your content and AI",
  body: (
    <>
      <p>
        What you enter, and what is generated from it, belongs to you as far as the law allows. We claim no rights in
        it, except to store, convert, and send it as needed to run the service: to the AI provider to generate a pin, to
        Pinterest to publish it, and back to you. We don’t use it to train models.
      </p>
      <ul>
        <li>
          AI makes mistakes. It may say something untrue or create something that resembles other people’s work. Check
          the title, description, link, and image before you select a pin. You are responsible for what is published in
          your name.
        </li>
        <li>Someone else who enters the same keyword may get something similar. Results are not exclusive.</li>
        <li>
          AI-generated images carry a mark in their metadata, and pins are sent to Pinterest with its AI label where
          Pinterest supports it. Some countries require this by law. Don’t remove it.
        </li>
        <li>
          The AI provider rejects some subjects. In that case the pin fails, we show you the reason, and its credits are
          returned.
        </li>
      </ul>
      <p>
        Keep a copy of anything you can’t do without. Our backups are there to recover the service after a failure, not
        to restore what you have deleted.
      </p>
    </>
  ),
};

const conduct = ({ name }: ProductFacts): DocumentSection => ({
  id: "acceptable-use",
  title: "Acceptable use",
  body: (
    <>
      <p>Don’t use {name} to:</p>
      <ul>
        <li>
          publish anything illegal, hateful, sexual, violent, or deceptive, or that infringes other people’s rights;
        </li>
        <li>
          show real people in ways they have not agreed to, or present AI-generated images as photos of real events;
        </li>
        <li>
          flood Pinterest with near-identical pins, mislead people about where a link goes, or offer rewards for saving
          pins;
        </li>
        <li>get around the limits of the service, your plan, or Pinterest, or look for loopholes in them;</li>
        <li>access other users’ data, disrupt the service, or test its security without our written consent;</li>
        <li>resell access to it, or copy it to build a competing service.</li>
      </ul>
      <p>
        Found a security problem by accident? Please tell us through the{" "}
        <Link className="link" href="/contact-us">
          contact page
        </Link>
        . We’re grateful and won’t hold it against you.
      </p>
    </>
  ),
});

/** The first half of the terms: the agreement and the service. */
export const serviceTerms = (product: ProductFacts): readonly DocumentSection[] => [
  agreement(product),
  age,
  account,
  service(product),
  pinterest(product),
  content,
  conduct(product),
];
