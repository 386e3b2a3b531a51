import Link from "next/link";
import { type DocumentSection, MailLink } from "#components/site/document-page.tsx";
import type { ProductFacts } from "#components/site/structured-data.tsx";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import { REFUND_WINDOW_DAYS } from "#lib/features/billing/constants.ts";
import { FREE_ALLOWANCE } from "#lib/features/billing/plans.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";

const credits: DocumentSection = {
  id: "credits",
  title: "Credits",
  body: (
    <>
      <p>
        Making a pin costs credits: {COST_CREDITS.high} in high quality, {COST_CREDITS.standard} in standard. They are
        set aside when you start, spent when the pin is finished, and given back when it fails or is cancelled before it
        was begun. Editing, scheduling and publishing cost nothing.
      </p>
      <ul>
        <li>
          The allowance of a plan is renewed each period and does not carry over. On the free plan that is a calendar
          month (UTC) with {FREE_ALLOWANCE} credits, on paid plans the month that was paid for. A larger plan raises the
          allowance of the running period at once.
        </li>
        <li>Purchased credits do not expire as long as your account exists. The allowance is used first.</li>
        <li>Credits are a unit of use, not money: they cannot be paid out, sold or passed on to another account.</li>
      </ul>
    </>
  ),
};

const plans = (): DocumentSection => ({
  id: "plans",
  title: "Plans and payment",
  body: (
    <>
      <p>
        What each plan contains and costs stands on the{" "}
        <Link className="link" href="/pricing">
          pricing page
        </Link>
        . Prices are in US dollars, and shown in your currency where the payment provider takes it; tax is added where
        the law demands it, and shown before you pay.
      </p>
      <ul>
        <li>Paid plans renew by themselves each month, by the payment method you gave, until you cancel.</li>
        <li>
          You can cancel at any time in Settings. The plan then runs to the end of the period you have paid for, and
          your account goes on with the free plan.
        </li>
        <li>
          An upgrade holds at once; you pay for the rest of the period, and what you paid for the smaller plan is set
          against it. You see the amount before you confirm. A change to a smaller plan holds from the next period.
        </li>
        <li>
          When a payment fails, the payment provider tries again; until then your plan holds, and Settings tells you. If
          that fails as well, the plan is paused or ends, and your account goes on with the free plan. Nothing is
          deleted for it.
        </li>
        <li>We tell you of a higher price at least 30 days before it would first be charged.</li>
      </ul>
      <p>
        Your order is placed with Paddle.com, our payment provider, which sells to you as merchant of record: it charges
        you, adds tax, sends the invoice and pays refunds, under its own terms for buyers. The service itself is
        provided by us. We never see or store a card number.
      </p>
    </>
  ),
});

const refunds: DocumentSection = {
  id: "refunds",
  title: "Refunds",
  body: (
    <p>
      Subscription fees are refunded on request within {REFUND_WINDOW_DAYS.monthly} days for monthly and{" "}
      {REFUND_WINDOW_DAYS.annual} days for annual plans. Purchased credits are not refundable. The{" "}
      <Link className="link" href="/refund-policy">
        refund policy
      </Link>{" "}
      says how it works and is part of these terms.
    </p>
  ),
};

const availability: DocumentSection = {
  id: "availability",
  title: "Availability and support",
  body: (
    <>
      <p>
        We aim at {UPTIME_CLAIM} uptime and publish what we measured on the{" "}
        <Link className="link" href="/status">
          status page
        </Link>
        . That is an aim and not a guarantee; maintenance, and failures of the services we depend on, can come in
        between.
      </p>
      <p>
        General support is there {SUPPORT_HOURS} and replies {SUPPORT_REPLY} on business days. Plans with priority
        support are answered as their description says.
      </p>
    </>
  ),
};

const ending: DocumentSection = {
  id: "ending",
  title: "How it ends",
  body: (
    <>
      <p>
        You can delete your account at any time in Settings, with your password. That erases your data as the{" "}
        <Link className="link" href="/privacy-policy#how-long-we-keep-it">
          privacy policy
        </Link>{" "}
        describes, stops what is scheduled, ends a running plan at once, and cannot be undone. Unused credits are lost
        with it, and what is left of a paid period is not paid back by itself: ask for a refund first if you want one.
      </p>
      <p>
        We may suspend or end an account that breaks these terms, puts others or the service at risk, or is used for
        fraud. Unless the matter is urgent or the law forbids it, we tell you first, say why, and give you time to
        answer and to export your data. If we end your account without such a reason, we give you 30 days’ notice and
        pay back the unused part of what you have paid.
      </p>
    </>
  ),
};

const liability: DocumentSection = {
  id: "liability",
  title: "What we answer for",
  body: (
    <>
      <p>
        We provide the service with reasonable care and skill. We do not promise that your pins reach a certain number
        of people, that a pin made by AI is correct, or that Pinterest behaves in a certain way.
      </p>
      <p>
        Nothing in these terms limits liability for death or personal injury caused by negligence, for fraud, or for
        anything else for which the law allows no limit; nor do they limit your rights as a consumer.
      </p>
      <p>
        Apart from that, if you use the service for a business, we are not liable for lost profit, lost sales or
        indirect loss, and our liability for all claims of one year together is limited to what you paid us in that
        year, or 100 pounds if that is more. If you are a consumer, we are liable for loss that was a foreseeable result
        of our breaking this contract.
      </p>
    </>
  ),
};

const closing = ({ supportEmail }: ProductFacts): DocumentSection => ({
  id: "changes-and-law",
  title: "Changes, law and disputes",
  body: (
    <>
      <p>
        When we change these terms, the date at the top changes. Of changes that matter we tell you by email at least 30
        days ahead; if you do not agree, you can delete your account before they hold.
      </p>
      <p>
        The law of England and Wales applies, and its courts decide. If you are a consumer who lives elsewhere, the
        mandatory law of your country protects you as well, and you may sue there.
      </p>
      <p>
        Should a part of these terms be invalid, the rest still holds. Write to <MailLink address={supportEmail} />{" "}
        before you go to court: most things can be settled by a letter.
      </p>
    </>
  ),
});

/** The second half of the terms: credits, payment, ending, liability. */
export const moneyTerms = (product: ProductFacts): readonly DocumentSection[] => [
  credits,
  plans(),
  refunds,
  availability,
  ending,
  liability,
  closing(product),
];
