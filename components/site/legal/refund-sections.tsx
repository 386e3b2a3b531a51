import Link from "next/link";
import { type DocumentSection, MailLink } from "#components/site/document-page.tsx";
import { Facts } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import {
  REFUND_REVIEW_BUSINESS_DAYS,
  REFUND_TRANSIT_BUSINESS_DAYS,
  REFUND_WINDOW_DAYS,
} from "#lib/features/billing/constants.ts";

/** R-LEGAL-01 */
export const LAST_UPDATED = "Last updated February 8, 2025";

const WINDOWS = [
  { what: "A monthly subscription fee", words: `Refundable within ${REFUND_WINDOW_DAYS.monthly} days of the payment` },
  { what: "An annual subscription fee", words: `Refundable within ${REFUND_WINDOW_DAYS.annual} days of the payment` },
  { what: "A pack of credits", words: "Not refundable" },
] as const;

const TRANSITS = [
  { way: "Card", days: REFUND_TRANSIT_BUSINESS_DAYS.card },
  { way: "PayPal", days: REFUND_TRANSIT_BUSINESS_DAYS.paypal },
  { way: "Bank transfer", days: REFUND_TRANSIT_BUSINESS_DAYS.bankTransfer },
] as const;

const covered: DocumentSection = {
  id: "windows",
  title: "What can be refunded, and until when",
  body: (
    <>
      <Facts>
        {WINDOWS.map(({ what, words }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </Facts>
      <p>
        The windows cover subscription fees only. Within them you need give no reason, and it makes no difference how
        much of the plan you have used. Each monthly renewal is a payment of its own and opens its own window.
      </p>
      <p>
        We sell monthly plans only at present. The window for annual fees is stated so that it holds from the first day
        an annual plan is offered.
      </p>
    </>
  ),
};

const credits: DocumentSection = {
  id: "credits",
  title: "Purchased credits",
  body: (
    <>
      <p>
        Purchased credits are not refundable. They do not expire, so a pack that you bought waits until you use it. The
        windows above do not apply to packs, whether or not credits of the pack have been used.
      </p>
      <p>
        You do not pay for pins that fail: when a pin cannot be made, or you cancel it before it was begun, its credits
        return to your balance by themselves. That is no refund of money, and you need not ask for it.
      </p>
      <p>
        If we charged you by mistake, twice, or for something you did not receive, we put that right whatever it was you
        bought, and without a time limit.
      </p>
    </>
  ),
};

const asking = ({ name, supportEmail }: ProductFacts): DocumentSection => ({
  id: "how-to-ask",
  title: "How to ask for a refund",
  body: (
    <>
      <ol>
        <li>
          Write to <MailLink address={supportEmail} /> or through the{" "}
          <Link className="link" href="/contact-us">
            contact form
          </Link>
          , from the email address of your {name} account. Say which payment it is about: its date and amount are
          enough.
        </li>
        <li>
          Support replies {SUPPORT_REPLY} on business days ({SUPPORT_HOURS}).
        </li>
        <li>
          We review the request within {REFUND_REVIEW_BUSINESS_DAYS} business days and write to you what we decided. If
          we refuse, we say why.
        </li>
        <li>
          An approved refund is paid by Paddle.com, which sold to you as merchant of record, the way you paid: to the
          same card or account.
        </li>
      </ol>
      <p>What counts is the day your request reaches us, not the day we read it.</p>
    </>
  ),
});

const transit: DocumentSection = {
  id: "when-it-arrives",
  title: "When the money arrives",
  body: (
    <>
      <p>Once we have approved it, the rest is up to the bank or provider. It usually takes:</p>
      <Facts>
        {TRANSITS.map(({ way, days }) => (
          <div key={way}>
            <dt>{way}</dt>
            <dd>{days} business days</dd>
          </div>
        ))}
      </Facts>
    </>
  ),
};

const effects: DocumentSection = {
  id: "what-happens-then",
  title: "What a refund does to your account",
  body: (
    <>
      <p>
        A refunded plan ends, and your account goes on with the free plan. The credits that the refunded plan brought
        are taken back as far as they are unused; your balance never goes below zero for it. Credits that you bought in
        packs stay.
      </p>
      <p>
        When your bank takes a payment back, the credits of that payment are taken back in the same way, of a plan or of
        a pack; they return if the bank decides otherwise.
      </p>
      <p>
        Your pins stay as they are, published ones at Pinterest included. Scheduled pins still go out. Connected
        Pinterest accounts beyond the free plan’s number stay connected, but no new one can be added.
      </p>
    </>
  ),
};

const cancelling: DocumentSection = {
  id: "cancelling",
  title: "Cancelling is something else",
  body: (
    <>
      <p>
        Cancelling a subscription stops the next payment; you keep the plan until the end of the period you have paid
        for. It does not by itself refund the last payment. If you want both, cancel and ask for the refund within the
        window.
      </p>
      <p>
        Deleting your account is possible at any time in Settings, and ends a running plan at once; it pays nothing
        back. Ask for a refund first if you want one: afterwards we may no longer be able to tell which payment was
        yours.
      </p>
    </>
  ),
};

const rights: DocumentSection = {
  id: "your-rights",
  title: "Your statutory rights",
  body: (
    <p>
      Nothing here takes away what the law gives you as a consumer, for example when a service is not as described or is
      not provided with reasonable care. Where the law gives you more than this policy, the law counts.
    </p>
  ),
};

/** The refund policy (R-LEGAL-02 to R-LEGAL-06, A-07, A-08, A-42). */
export const refundSections = (product: ProductFacts): readonly DocumentSection[] => [
  covered,
  credits,
  asking(product),
  transit,
  effects,
  cancelling,
  rights,
];
