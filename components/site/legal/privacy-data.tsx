import Link from "next/link";
import { type DocumentSection, EmailLink } from "#components/site/document-page.tsx";
import { DefinitionList } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";

const responsible = ({ name, postalAddress, supportEmail }: ProductFacts): DocumentSection => ({
  id: "who-is-responsible",
  title: "Who is responsible",
  body: (
    <p>
      The operator of {name}, {postalAddress}, is responsible for your personal data (the “controller”). Send questions
      and requests about your data to <EmailLink address={supportEmail} />. You don’t need a form or any special
      wording.
    </p>
  ),
});

const inShort = ({ name }: ProductFacts): DocumentSection => ({
  id: "in-short",
  title: "In short",
  body: (
    <ul>
      <li>We store what {name} needs to create, schedule, and publish your pins, and little else.</li>
      <li>
        We read your account and board data from Pinterest when you view it, and we don’t store it. We keep the metrics
        for pins you published with {name} for a day.
      </li>
      <li>We don’t sell data, build profiles, or train models with what you create.</li>
      <li>
        Our pages load nothing from other companies, except the payment provider’s checkout on pages where you can buy,
        ad measurement if you agree to it, and in the app, the thumbnails of videos and pages you look up, from the
        sites that host them.
      </li>
      <li>You can download everything and delete everything yourself, in Settings.</li>
    </ul>
  ),
});

const account: DocumentSection = {
  id: "what-we-store",
  title: "What we store",
  body: (
    <>
      <h3>Your account</h3>
      <p>
        Your first and last name, username, email address and whether it is confirmed, your plan, your time zone, which
        emails you turned off, and when you signed up. We store only a hash of your password (Argon2id), which can’t be
        turned back into the password. We also store only a hash of links that confirm an email address or reset a
        password.
      </p>
      <h3>Other ways you sign in</h3>
      <p>
        If you use them: the secret of your authenticator app, encrypted, and hashes of your recovery codes; for each
        passkey its public key, its name, and when it was last used; and the ID and email address of a connected Google
        account. When you sign in with Google, it gives us these and your name, and nothing else.
      </p>
      <h3>Devices you’re signed in on</h3>
      <p>
        For each session: when you signed in, when it was last active (accurate to about 15 minutes), when it expires,
        and the browser and operating system, such as “Firefox on Linux,” so that you can recognize it in Settings. We
        don’t store your IP address or anything else your browser sends.
      </p>
      <h3>Security activity</h3>
      <p>
        Sign-ins and changes to your account, which you see in Settings: what happened and when, the browser and
        operating system, and the network you used (your IP address without its last part). We also email you when
        someone signs in to your account from a new browser.
      </p>
      <h3>Connected Pinterest accounts</h3>
      <p>
        The Pinterest ID and username, when you connected the account, the permissions you gave, and the access tokens
        from Pinterest, encrypted. We never see your Pinterest password.
      </p>
      <h3>Your pins</h3>
      <p>
        For each pin: the keyword and link you entered, title, description, alt text, image, the IDs of the account and
        board, its status and times, and when you selected it. For each attempt to publish it: when it was sent, how
        Pinterest responded, and the pin’s ID on Pinterest. Each image has a URL that can’t be guessed, but anyone who
        has the URL can see the image. For images and logos you upload, we store only the image itself. Location,
        camera, and all other metadata are removed. For text placed on an image, we store the text and the image beneath
        it.
      </p>
      <h3>Your brand kits</h3>
      <p>For each Pinterest account with a brand kit: colors, fonts, a logo, and how generated texts are written.</p>
      <h3>Your keyword lists</h3>
      <p>The name of each list, its keywords, and the day you saved each one.</p>
      <h3>Your videos, sites, and schedule settings</h3>
      <p>
        The videos you saved from pages you pasted, with your tags and notes; the sites you watch, with the new pages we
        found there; and for each Pinterest account its posting slots, pace, and time zone.
      </p>
      <h3>Your API keys, apps, and webhooks</h3>
      <p>
        For each API key and connected app: its name, what it may do, a hash of its secret, and its calls with their
        results and network. For each webhook: its URL, its secret, encrypted, and what was sent to it.
      </p>
      <h3>Your credits</h3>
      <p>
        A ledger of every change: how many credits, when, and what for. Free credits are given once a month per
        Pinterest account, so we also store a hash of the Pinterest ID they were given for, made with a secret key.
      </p>
      <h3>Your plan and payments</h3>
      <p>
        For each payment: what it was for, amount, currency, date, status, invoice number, refunds, and the payment
        method in a form such as “Visa ending in 4242.” For a plan: its dates. We also store the payment provider’s IDs
        for your payments, your plan, and you as a customer, and what was in any checkout you opened. We keep only the
        parts of the payment provider’s messages that we need to process your payment. We don’t read the names,
        addresses, or card numbers in them.
      </p>
      <h3>Messages and emails</h3>
      <p>
        The name, email address, subject, and text you send through the contact form. Emails to you are stored until
        they have been handed to the email service, and then deleted.
      </p>
    </>
  ),
};

const elsewhere: DocumentSection = {
  id: "what-we-do-not-store",
  title: "What we don’t store",
  body: (
    <>
      <ul>
        <li>
          Names and descriptions of your boards, and follower, pin, and view counts. They are read from Pinterest when a
          screen shows them, and kept in memory for a minute at most.
        </li>
        <li>
          A history of your metrics. How often your published pins were seen, opened, clicked, and saved is read from
          Pinterest when you view it, kept for a day at most so that pins can be compared, and then deleted. These
          numbers belong to Pinterest, which also shows them to you, so they are not part of your download.
        </li>
        <li>
          Pinterest’s search trends and related keywords. They are read from Pinterest when you view them, and kept in
          memory for a day at most.
        </li>
        <li>
          Full IP addresses. Your security activity shows only the network. To limit requests, so that no one can guess
          passwords or overload the service, we keep only a code made from the address, for about a day. It can’t be
          reversed without our key.
        </li>
        <li>
          Card numbers. Payments are handled by a payment provider. All we see is that you paid, when, how much, and for
          what.
        </li>
        <li>What you do on other sites, your location, your contacts, or anything bought from data brokers.</li>
      </ul>
      <p>
        Our server keeps a log to find errors: time, type of request, result, and IDs such as those of your account or a
        pin. It leaves out names, addresses of any kind, passwords, tokens, keywords, and the text of your pins.
      </p>
    </>
  ),
};

const purposes: DocumentSection = {
  id: "why",
  title: "Why we use it, and the legal basis",
  body: (
    <DefinitionList isWordy>
      <div>
        <dt>To provide the service</dt>
        <dd>
          Account, sign-ins, Pinterest accounts, pins, credits, and emails about your account. Legal basis: our contract
          with you (UK and EU GDPR, Article 6(1)(b)). Without this data you can’t have an account.
        </dd>
      </div>
      <div>
        <dt>To keep it safe and running</dt>
        <dd>
          Rate limits, the list of active sessions, logs, and backups. Legal basis: our legitimate interest in a service
          that works and isn’t abused (Article 6(1)(f)).
        </dd>
      </div>
      <div>
        <dt>To answer you</dt>
        <dd>
          Messages to support. Legal basis: the contract, or our legitimate interest in answering (Article 6(1)(b),
          (f)).
        </dd>
      </div>
      <div>
        <dt>To measure advertising</dt>
        <dd>
          Only with your consent (Article 6(1)(a)), which you can withdraw:{" "}
          <Link className="link" href="#ad-measurement">
            ad measurement
          </Link>
          .
        </dd>
      </div>
      <div>
        <dt>To comply with the law</dt>
        <dd>Records of payments and credits, as required by tax and commercial law. Legal basis: Article 6(1)(c).</dd>
      </div>
    </DefinitionList>
  ),
};

/** The first part of the privacy policy: which data is stored, and why. */
export const dataSections = (product: ProductFacts): readonly DocumentSection[] => [
  responsible(product),
  inShort(product),
  account,
  elsewhere,
  purposes,
];
