import Link from "next/link";
import { SINGLE_KEYS_KEY } from "#components/shared/shortcuts.ts";
import type { DocumentSection } from "#components/site/document-page.tsx";
import { Facts, WordsTable } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { BULK_DRAFT_KEY } from "#lib/client/bulk-draft.ts";
import { KEPT_KEYWORDS_KEY } from "#lib/client/remembered.ts";
import { CSRF_COOKIE, REMEMBERED_PATH_KEY, TIME_ZONE_COOKIE, TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";
import { CONNECTION_COOKIE } from "#lib/features/accounts/constants.ts";

const providers = ({ name }: ProductFacts): DocumentSection => ({
  id: "who-receives-it",
  title: "Who receives data",
  body: (
    <>
      <Facts isWordy>
        <div>
          <dt>Pinterest</dt>
          <dd>
            When you connect an account, Pinterest learns that you use {name}. When a pin that you chose is published,
            it receives title, description, alternative text, link, picture, the board, and the label that AI made it.
            What happens there is governed by Pinterest’s own privacy policy.
          </dd>
        </div>
        <div>
          <dt>AI provider</dt>
          <dd>
            The keyword and the link you typed, to write the texts; the keyword, to draw the picture; and an id that
            does not name you but lets the provider act against abuse. Not your name, not your email address, and
            nothing read from Pinterest. The provider is OpenAI, or another company or server of ours that speaks the
            same interface.
          </dd>
        </div>
        <div>
          <dt>Mail service</dt>
          <dd>
            Your email address and the text of the mails we send you, and of your messages to support. They carry
            nothing that tells us whether you read them.
          </dd>
        </div>
        <div>
          <dt>Sites that your pins lead to</dt>
          <dd>
            Our server opens the link of a draft, again before a scheduled pin goes out, and when you ask it to, to warn
            you when it is dead or leads elsewhere. The site sees an ordinary visit from our server: no cookie, and
            nothing about you but what is in the link itself. The page is not read or kept; what we keep is the link,
            whether it works, and where it leads.
          </dd>
        </div>
        <div>
          <dt>Job service</dt>
          <dd>
            Inngest, or a server of our own that does the same, keeps the clock for scheduled pins. It receives ids and
            times, and the messages of errors; no texts or pictures of pins and no names. When you ask for a new
            password, your email address travels through it, encrypted with a key it does not have.
          </dd>
        </div>
        <div>
          <dt>Payment provider</dt>
          <dd>
            Paddle sells to you as merchant of record and receives, under its own privacy policy: from you, what its
            checkout asks for, such as your country and your payment data; from us, your email address, what you buy,
            and the ids of your account and of the purchase here, so that the payment finds its way back. When you
            delete your account we have it end a running plan; what it sold to you stays in its own books. Its program
            is loaded from its servers on the pages that sell, which are Buy Credits, Pricing and the two pages it leads
            back to, once you are logged in; there it learns your network address and your browser before you press
            anything, and Pricing asks it what a plan costs where you are.
          </dd>
        </div>
        <div>
          <dt>Hosting</dt>
          <dd>The companies on whose machines {name}, its database, its pictures and its backups are kept.</dd>
        </div>
      </Facts>
      <p>
        They may use the data only for what we asked them to do. Only Pinterest, and the payment provider for its sales,
        decide for themselves. We give data to authorities only where the law obliges us to, and tell you if it allows
        that.
      </p>
      <p>
        Some of these companies are in the United States or work there. Data goes there under the safeguards the law
        provides: an adequacy decision such as the UK–US data bridge and the EU–US Data Privacy Framework, or standard
        contractual clauses.
      </p>
    </>
  ),
});

const KEPT = [
  { name: "next-auth.session-token", words: "Cookie: keeps you logged in.", life: "30 days, or until you log out" },
  { name: CSRF_COOKIE, words: "Cookie: proves that a call came from our own pages.", life: "1 year" },
  {
    name: `${CONNECTION_COOKIE}_…`,
    words: "Cookie: ties connecting a Pinterest account to this browser.",
    life: "10 minutes",
  },
  { name: TIME_ZONE_COOKIE, words: "Cookie: your time zone, so that times are right from the start.", life: "1 year" },
  { name: THEME_COOKIE, words: "Cookie: light, dark or as your device says, if you chose.", life: "1 year" },
  { name: TOKEN_STORAGE_KEY, words: "Local storage: the key of your login.", life: "Until you log out" },
  {
    name: BULK_DRAFT_KEY,
    words: "Local storage and a database of this browser: pins you are making by hand, with their images.",
    life: "Until they are created, or you log out",
  },
  {
    name: KEPT_KEYWORDS_KEY,
    words: "Session storage: keywords you chose before an account was connected.",
    life: "Until you use them, log out or close the tab",
  },
  {
    name: REMEMBERED_PATH_KEY,
    words: "Session storage: the page you wanted before you were asked to log in.",
    life: "Until you are there",
  },
  { name: SINGLE_KEYS_KEY, words: "Local storage: whether shortcuts of one key are off.", life: "Until you clear it" },
  { name: AD_CONSENT_KEY, words: "Local storage: your answer about ad measurement.", life: "Until you clear it" },
] as const;

const cookies: DocumentSection = {
  id: "cookies",
  title: "Cookies and what is kept in your browser",
  body: (
    <>
      <p>
        All of these are ours and serve what you ask of the pages, so they need no consent. None is read by anybody
        else. On an https site the first one’s name begins with __Secure-. On the pages that sell, the payment provider
        may keep entries of its own for its checkout; its privacy policy describes them.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key */}
      <section className="overflow-x-auto" tabIndex={0} aria-label="Cookies and keys">
        <WordsTable>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">What it does</th>
              <th scope="col">How long</th>
            </tr>
          </thead>
          <tbody>
            {KEPT.map(({ name, words, life }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{words}</td>
                <td>{life}</td>
              </tr>
            ))}
          </tbody>
        </WordsTable>
      </section>
    </>
  ),
};

const advertising: DocumentSection = {
  id: "ad-measurement",
  title: "Ad measurement, only if you agree",
  body: (
    <>
      <p>
        We may advertise, and then want to know whether it worked. For that an advertising pixel of Meta (Facebook,
        Instagram) can be switched on. Where it is on, you are asked first; before you agree nothing of it is loaded,
        set or sent. If you decline or do not answer, the pages work just the same. Where it is off, you are not asked.
      </p>
      <p>
        If you agree, your browser loads one invisible picture from Meta for each public page you open, and one for each
        purchase. Meta learns the name of the event, that it happened on our site, of a purchase also its amount and
        what was bought, your network address and your browser, and may recognise you by cookies of its own. It learns
        neither which page it was nor your name or email address, and no program of Meta runs here. You can change your
        answer at any time under “Ad measurement” at the foot of every public page.
      </p>
    </>
  ),
};

const pictures: DocumentSection = {
  id: "ai-and-decisions",
  title: "AI, and decisions by machines",
  body: (
    <p>
      AI writes and draws your pins; it decides nothing about you. No decision with legal or similar effect is made
      about you by machines alone. Limits on calls are counted by machine; if one hits you wrongly,{" "}
      <Link className="link" href="/contact-us">
        a person will look at it
      </Link>
      .
    </p>
  ),
};

/** The second part of the privacy policy: who receives data, and what the browser keeps. */
export const sharingSections = (product: ProductFacts): readonly DocumentSection[] => [
  providers(product),
  cookies,
  advertising,
  pictures,
];
