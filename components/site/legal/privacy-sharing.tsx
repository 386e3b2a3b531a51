import Link from "next/link";
import { SINGLE_KEYS_KEY } from "#components/shared/shortcuts.ts";
import type { DocumentSection } from "#components/site/document-page.tsx";
import { ContentTable, DefinitionList } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { BULK_DRAFT_KEY } from "#lib/client/bulk-draft.ts";
import { SAVED_KEYWORDS_KEY } from "#lib/client/remembered.ts";
import {
  CSRF_COOKIE,
  GOOGLE_COOKIE,
  KNOWN_BROWSER_COOKIE,
  REMEMBERED_PATH_KEY,
  SECOND_STEP_COOKIE,
  TIME_ZONE_COOKIE,
  TOKEN_STORAGE_KEY,
} from "#lib/core/browser-keys.ts";
import { CONNECTION_COOKIE } from "#lib/features/accounts/constants.ts";

const providers = ({ name }: ProductFacts): DocumentSection => ({
  id: "who-receives-it",
  title: "Who receives data",
  body: (
    <>
      <DefinitionList isWordy>
        <div>
          <dt>Pinterest</dt>
          <dd>
            When you connect an account, Pinterest learns that you use {name}. When a pin you selected is published,
            Pinterest receives its title, description, alt text, link, image, board, and AI label. Pinterest’s own
            privacy policy applies there.
          </dd>
        </div>
        <div>
          <dt>AI provider</dt>
          <dd>
            The keyword and link you entered, what the page at that link says, your brand voice, and titles of your
            other pins, to write the title, description, and alt text; the keyword, your image style, and your brand
            colors, to create the image; and an ID that doesn’t identify you but lets the provider detect and stop
            abuse. It never receives your name, your email address, or anything read from Pinterest. The provider is
            OpenAI, another company with a compatible API, or our own server.
          </dd>
        </div>
        <div>
          <dt>Email service</dt>
          <dd>
            Your email address, and the text of emails we send you and of your messages to support. They contain nothing
            that tells us whether you read them.
          </dd>
        </div>
        <div>
          <dt>Sites your pins link to</dt>
          <dd>
            Our server checks each draft’s link, checks it again before a scheduled pin is published, and checks it
            whenever you ask, so we can warn you if it’s broken or leads somewhere else. The site sees an ordinary visit
            from our server, with no cookies and nothing about you except what is in the link itself. From these checks,
            we keep only the link, whether it works, and where it leads. When you generate pins from a link, our server
            also reads its page the same way, and keeps what the page says for a day.
          </dd>
        </div>
        <div>
          <dt>Task scheduling service</dt>
          <dd>
            Inngest, or one of our own servers, runs scheduled jobs. It receives IDs, times, and error messages, but no
            text or images from your pins, and no names. When you request a new password, your email address passes
            through it, encrypted with a key it doesn’t have.
          </dd>
        </div>
        <div>
          <dt>Payment provider</dt>
          <dd>
            Paddle sells to you as merchant of record and receives data under its own privacy policy. From you it
            receives what its checkout asks for, such as your country and payment details. From us it receives your
            email address, what you buy, and the IDs of your {name} account and purchase, so that we can match the
            payment. When you delete your account, we ask it to cancel any active plan. It keeps its own sales records.
            Its script is loaded from its servers on Buy Credits, Pricing, and the two pages it returns you to, once you
            are signed in. There it sees your IP address and browser before you select anything, and Pricing asks it
            what a plan costs where you are.
          </dd>
        </div>
        <div>
          <dt>Hosting</dt>
          <dd>The companies whose servers run {name}, its database, its images, and its backups.</dd>
        </div>
      </DefinitionList>
      <p>
        They may use the data only for what we asked them to do. Only Pinterest, and the payment provider for its sales,
        make their own decisions about it. We give data to authorities only where the law requires it, and tell you if
        the law allows that.
      </p>
      <p>
        Some of these companies are based in the United States or operate there. Data is transferred under the
        safeguards provided by law: an adequacy decision such as the UK–US data bridge and the EU–US Data Privacy
        Framework, or standard contractual clauses.
      </p>
    </>
  ),
});

const BROWSER_ENTRIES = [
  { name: "next-auth.session-token", text: "Cookie: keeps you signed in.", life: "30 days, or until you sign out" },
  { name: CSRF_COOKIE, text: "Cookie: proves that a request came from our own pages.", life: "1 year" },
  {
    name: `${CONNECTION_COOKIE}_…`,
    text: "Cookie: ties a Pinterest connection to this browser while you connect.",
    life: "10 minutes",
  },
  { name: TIME_ZONE_COOKIE, text: "Cookie: your time zone, so that times are right from the start.", life: "1 year" },
  {
    name: KNOWN_BROWSER_COOKIE,
    text: "Cookie: shows that you signed in here before, so that other people’s failed attempts don’t slow you down and you get no email about a new device.",
    life: "1 year",
  },
  {
    name: SECOND_STEP_COOKIE,
    text: "Cookie: remembers, while you enter a code, that your password was right.",
    life: "10 minutes",
  },
  { name: GOOGLE_COOKIE, text: "Cookie: ties a sign-in with Google to this browser.", life: "10 minutes" },
  { name: THEME_COOKIE, text: "Cookie: your theme, if you chose one.", life: "1 year" },
  { name: TOKEN_STORAGE_KEY, text: "Local storage: your sign-in token.", life: "Until you sign out" },
  {
    name: BULK_DRAFT_KEY,
    text: "Local storage and a browser database: pins you are creating manually, with their images.",
    life: "Until they are created, or you sign out",
  },
  {
    name: SAVED_KEYWORDS_KEY,
    text: "Session storage: keywords you chose before you connected an account.",
    life: "Until you use them, sign out, or close the tab",
  },
  {
    name: REMEMBERED_PATH_KEY,
    text: "Session storage: the page you opened before you were asked to sign in.",
    life: "Until you get there",
  },
  {
    name: SINGLE_KEYS_KEY,
    text: "Local storage: whether single-key shortcuts are off.",
    life: "Until you clear it",
  },
  { name: AD_CONSENT_KEY, text: "Local storage: your choice about ad measurement.", life: "Until you clear it" },
] as const;

const cookies: DocumentSection = {
  id: "cookies",
  title: "Cookies and browser storage",
  body: (
    <>
      <p>
        All of these are ours and are needed for what you do on our pages, so they don’t require consent. No one else
        reads them. On an https site the name of the first one starts with __Secure-. On pages where you can buy, the
        payment provider may store entries of its own for its checkout, as described in its privacy policy.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key */}
      <section className="overflow-x-auto" tabIndex={0} aria-label="Cookies and keys">
        <ContentTable>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">What it does</th>
              <th scope="col">How long</th>
            </tr>
          </thead>
          <tbody>
            {BROWSER_ENTRIES.map(({ name, text, life }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{text}</td>
                <td>{life}</td>
              </tr>
            ))}
          </tbody>
        </ContentTable>
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
        We may run ads and want to know whether they work. To find out, we can turn on an advertising pixel from Meta
        (Facebook, Instagram). If it’s on, we ask you first, and until you agree, none of it is loaded, stored, or sent.
        If you decline or don’t answer, everything works just the same. If it’s off, we don’t ask.
      </p>
      <p>
        If you agree, your browser loads one invisible image from Meta for each public page you open, and one for each
        purchase. Meta learns which event happened on our site, your IP address, and your browser. For a purchase, it
        also learns the amount and what you bought. It may recognize you by its own cookies. It doesn’t learn which page
        you visited, your name, or your email address, and no Meta script runs on our pages. You can change your choice
        at any time under “Ad measurement” at the bottom of every public page.
      </p>
    </>
  ),
};

const images: DocumentSection = {
  id: "ai-and-decisions",
  title: "AI and automated decisions",
  body: (
    <p>
      AI creates your pins, but it makes no decisions about you. No decision with legal or similar effect is made about
      you by automated means alone. Rate limits are applied automatically. If one affects you unfairly,{" "}
      <Link className="link" href="/contact-us">
        a person will look into it
      </Link>
      .
    </p>
  ),
};

/** The second part of the privacy policy: recipients, cookies and ad measurement. */
export const sharingSections = (product: ProductFacts): readonly DocumentSection[] => [
  providers(product),
  cookies,
  advertising,
  images,
];
