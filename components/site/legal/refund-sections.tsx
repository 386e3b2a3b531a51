import Link from "next/link";
import { type DocumentSection, EmailLink } from "#components/site/document-page.tsx";
import { DefinitionList } from "#components/site/page-parts.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import {
  REFUND_REVIEW_BUSINESS_DAYS,
  REFUND_TRANSIT_BUSINESS_DAYS,
  REFUND_WINDOW_DAYS,
} from "#lib/features/billing/constants.ts";

/** The date is fixed (R-LEGAL-01). */
export const LAST_UPDATED = "Last updated February 8, 2025";

const WINDOWS = [
  { what: "A monthly subscription fee", text: `Refundable within ${REFUND_WINDOW_DAYS.monthly} days of the payment` },
  { what: "An annual subscription fee", text: `Refundable within ${REFUND_WINDOW_DAYS.annual} days of the payment` },
  { what: "A credit pack", text: "Not refundable" },
] as const;

const TRANSITS = [
  { method: "Card", days: REFUND_TRANSIT_BUSINESS_DAYS.card },
  { method: "PayPal", days: REFUND_TRANSIT_BUSINESS_DAYS.paypal },
  { method: "Bank transfer", days: REFUND_TRANSIT_BUSINESS_DAYS.bankTransfer },
] as const;

const covered: DocumentSection = {
  id: "windows",
  title: "What can be refunded",
  body: (
    <>
      <DefinitionList>
        {WINDOWS.map(({ what, text }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </DefinitionList>
      <p>
        The refund windows cover subscription fees only. You don’t need to give a reason, and it doesn’t matter how much
        of the plan you have used. Each monthly renewal is a separate payment with its own window.
      </p>
      <p>
        We currently sell monthly plans only. The window for annual fees applies from the first day an annual plan is
        offered.
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
        Purchased credits are not refundable. They don’t expire, so a pack stays in your account until you use it. The
        windows above don’t apply to packs, whether or not you have used any of the credits.
      </p>
      <p>
        You don’t pay for failed pins. If a pin can’t be generated, or you cancel it before it starts, its credits
        return to your balance automatically. That isn’t a refund of money, and you don’t need to ask for it.
      </p>
      <p>
        If we charged you by mistake, charged you twice, or charged you for something you didn’t receive, we’ll fix it,
        no matter what you bought or how long ago.
      </p>
    </>
  ),
};

const asking = ({ name, supportEmail }: ProductFacts): DocumentSection => ({
  id: "how-to-ask",
  title: "How to request a refund",
  body: (
    <>
      <ol>
        <li>
          Email <EmailLink address={supportEmail} /> or use the{" "}
          <Link className="link" href="/contact-us">
            contact form
          </Link>
          , with the email address of your {name} account. Tell us which payment you’d like refunded. Its date and
          amount are enough.
        </li>
        <li>
          Support replies {SUPPORT_REPLY} on business days ({SUPPORT_HOURS}).
        </li>
        <li>
          We’ll review your request within {REFUND_REVIEW_BUSINESS_DAYS} business days and email you our decision. If we
          decline it, we’ll explain why.
        </li>
        <li>
          Paddle.com, the merchant of record for your purchase, sends approved refunds to the card or account you paid
          with.
        </li>
      </ol>
      <p>We go by the day we receive your request, not the day we read it.</p>
    </>
  ),
});

const transit: DocumentSection = {
  id: "when-it-arrives",
  title: "When you’ll get your money back",
  body: (
    <>
      <p>Once we’ve approved a refund, the rest is up to your bank or payment provider. It usually takes:</p>
      <DefinitionList>
        {TRANSITS.map(({ method, days }) => (
          <div key={method}>
            <dt>{method}</dt>
            <dd>{days} business days</dd>
          </div>
        ))}
      </DefinitionList>
    </>
  ),
};

const effects: DocumentSection = {
  id: "what-happens-then",
  title: "What happens to your account",
  body: (
    <>
      <p>
        A refunded plan ends, and you’ll move to the Free plan. Unused credits from the refunded plan are removed. This
        never takes your balance below zero, and you’ll keep credits from packs.
      </p>
      <p>
        If your bank reverses a payment, the credits from that payment are removed in the same way, whether they came
        from a plan or a pack. If the bank later cancels the reversal, the credits are returned.
      </p>
      <p>
        Your pins stay as they are, including published ones, and scheduled pins are still published. Connected
        Pinterest accounts above the Free plan’s limit stay connected, but you can’t add new ones.
      </p>
    </>
  ),
};

const canceling: DocumentSection = {
  id: "cancelling",
  title: "Canceling is not a refund",
  body: (
    <>
      <p>
        Canceling a subscription stops the next payment, and you keep the plan until the end of the period you paid for.
        It doesn’t refund your last payment. If you want both, cancel and request the refund within the window.
      </p>
      <p>
        You can delete your account at any time in Settings. That ends any active plan immediately and doesn’t refund
        anything. If you want a refund, ask for it first, because afterward we may no longer be able to tell which
        payment was yours.
      </p>
    </>
  ),
};

const rights: DocumentSection = {
  id: "your-rights",
  title: "Your legal rights",
  body: (
    <p>
      Nothing in this policy limits your legal rights as a consumer, for example when a service isn’t as described or
      isn’t provided with reasonable care. Where the law gives you more than this policy, the law applies.
    </p>
  ),
};

/** The sections of the refund policy. */
export const refundSections = (product: ProductFacts): readonly DocumentSection[] => [
  covered,
  credits,
  asking(product),
  transit,
  effects,
  canceling,
  rights,
];
