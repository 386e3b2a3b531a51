import Link from "next/link";
import { type DocumentSection, MailLink } from "#components/site/document-page.tsx";
import { Facts } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";

const responsible = ({ name, postalAddress, supportEmail }: ProductFacts): DocumentSection => ({
  id: "who-is-responsible",
  title: "Who is responsible",
  body: (
    <p>
      The operator of {name}, {postalAddress}, decides what happens with personal data here (the “controller”).
      Questions and requests about data go to <MailLink address={supportEmail} />. You need no form and no particular
      words.
    </p>
  ),
});

const inShort = ({ name }: ProductFacts): DocumentSection => ({
  id: "in-short",
  title: "In short",
  body: (
    <ul>
      <li>We store what {name} needs to make, schedule and publish your pins, and little else.</li>
      <li>
        What Pinterest tells us about your account and boards is read when you look at it, and not stored; figures of
        the pins that you published here are kept for a day.
      </li>
      <li>We sell no data, build no profiles, and train no models with what you make.</li>
      <li>
        Our pages load nothing from other companies, except the payment provider’s checkout where you can buy, and
        unless you agree to ad measurement.
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
        First and last name, username, email address and whether it is confirmed, your plan, your time zone, which mails
        you switched off, and when you registered. Of your password we keep only a hash (Argon2id), from which it cannot
        be read back. Of links that confirm an address or reset a password we keep only a hash, too.
      </p>
      <h3>Your logins</h3>
      <p>
        For each login: when it began, when it was last used (to about a quarter of an hour), when it ends, and browser
        and system in words such as “Firefox on Linux”, so that you can recognise it in Settings. Neither the network
        address nor anything else your browser says of itself is stored.
      </p>
      <h3>Connected Pinterest accounts</h3>
      <p>
        The id and username at Pinterest, when you connected it, which permissions you gave, and the access tokens that
        Pinterest issued for it, encrypted. We never learn your Pinterest password.
      </p>
      <h3>Your pins</h3>
      <p>
        For each pin: the keyword and link you entered, title, description, alternative text, picture, the ids of
        account and board, its state and times, and when you chose it. For each attempt to publish it a receipt: when it
        was sent, what Pinterest answered, and the id of the pin there. A picture has an address that nobody can guess;
        who is given that address can see the picture. Of images and logos that you send only the pixels are stored:
        place, camera and whatever else a file carries is left out. Where words stand on a picture, we keep what they
        are, and the picture below.
      </p>
      <h3>Your brand kits</h3>
      <p>For each Pinterest account that you made one for: colours, the choice of fonts, and a logo.</p>
      <h3>Your credits</h3>
      <p>A ledger of every movement: how many credits, when, and for what.</p>
      <h3>Your plan and payments</h3>
      <p>
        For each payment: what it was for, amount, currency, date, state, invoice number, what was paid back, and the
        way of paying in words such as “Visa ending in 4242”; for a plan its dates; the payment provider’s ids of these
        and of you as its customer; and which purchase you set out to make. Of the messages of the payment provider we
        keep what we need to apply them. Names, addresses and card numbers in them are not read.
      </p>
      <h3>Messages and mails</h3>
      <p>
        Name, email address, subject and text of what you send through the contact form. A mail to you is kept until it
        has been handed to the mail service, and then deleted.
      </p>
    </>
  ),
};

const elsewhere: DocumentSection = {
  id: "what-we-do-not-store",
  title: "What we do not store",
  body: (
    <>
      <ul>
        <li>
          Names and descriptions of your boards, follower, pin and view counts: read from Pinterest when a screen shows
          them, and kept in memory for a minute at most.
        </li>
        <li>
          A history of your results. How often the pins that you published here were seen, opened, followed and saved is
          read from Pinterest when you look at your results, kept for a day at most so that pins can be compared, and
          deleted. These figures are Pinterest’s, which shows them to you itself, so they are not part of your download.
        </li>
        <li>
          Network addresses. They are used, as a hash and in memory only, to count calls so that nobody can guess
          passwords or flood the service.
        </li>
        <li>
          Card numbers. Payments run through a payment provider; we learn that you paid, when, how much and for what.
        </li>
        <li>What you do on other sites, your location, your contacts, or anything bought from data brokers.</li>
      </ul>
      <p>
        The server writes a log of calls to find faults: time, kind of call, result, and ids such as those of your
        account or a pin. Names, addresses of any kind, passwords, tokens, keywords and texts of pins are kept out of
        it.
      </p>
    </>
  ),
};

const purposes: DocumentSection = {
  id: "why",
  title: "What we use it for, and on what ground",
  body: (
    <Facts isWordy>
      <div>
        <dt>To provide the service</dt>
        <dd>
          Account, logins, Pinterest accounts, pins, credits, mails about your account. Ground: the contract with you
          (UK and EU GDPR, article 6(1)(b)). Without these data there is no account.
        </dd>
      </div>
      <div>
        <dt>To keep it safe and working</dt>
        <dd>
          Limits on calls, the list of logins, logs, backups. Ground: our legitimate interest in a service that works
          and is not abused (article 6(1)(f)).
        </dd>
      </div>
      <div>
        <dt>To answer you</dt>
        <dd>
          Messages to support. Ground: the contract, or our legitimate interest in answering (article 6(1)(b), (f)).
        </dd>
      </div>
      <div>
        <dt>To measure advertising</dt>
        <dd>
          Only with your consent (article 6(1)(a)), which you can take back:{" "}
          <Link className="link" href="#ad-measurement">
            ad measurement
          </Link>
          .
        </dd>
      </div>
      <div>
        <dt>To meet the law</dt>
        <dd>Records of payments and credits as tax and commercial law demand. Ground: article 6(1)(c).</dd>
      </div>
    </Facts>
  ),
};

/** The first part of the privacy policy: which data, and why. */
export const dataSections = (product: ProductFacts): readonly DocumentSection[] => [
  responsible(product),
  inShort(product),
  account,
  elsewhere,
  purposes,
];
