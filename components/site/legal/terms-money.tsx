import Link from "next/link";
import { type DocumentSection, EmailLink } from "#components/site/document-page.tsx";
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
        Generating a pin costs credits: {COST_CREDITS.high} for a high-quality pin and {COST_CREDITS.standard} for a
        standard pin. They are reserved when you start, spent when the pin is finished, and returned if it fails or is
        canceled before it starts. Editing, scheduling, and publishing are free.
      </p>
      <ul>
        <li>
          A plan’s included credits renew each period and don’t roll over. On the Free plan the period is a calendar
          month (UTC) with {FREE_ALLOWANCE} credits, given once per Pinterest account; on paid plans it is the month you
          paid for. If another user already gets the free credits for your Pinterest account, your unused free credits
          for the month expire when you connect it. After the first {FREE_ALLOWANCE}, free credits require a confirmed
          email. When you upgrade, the difference between the plans’ credits is added right away in proportion to the
          rest of the period, rounded up. If a pin can’t be generated, its reserved credits are returned, unless their
          billing period has already ended.
        </li>
        <li>Purchased credits don’t expire as long as your account exists. Included credits are used first.</li>
        <li>Credits are units of use, not money. They can’t be cashed out, sold, or transferred to another account.</li>
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
        See the{" "}
        <Link className="link" href="/pricing">
          pricing page
        </Link>{" "}
        for what each plan includes and costs. Prices are in US dollars, and shown in your currency where the payment
        provider supports it. Tax is added where required by law, and shown before you pay.
      </p>
      <ul>
        <li>Paid plans renew automatically each month, charged to your payment method, until you cancel.</li>
        <li>
          You can cancel at any time in Settings. You’ll keep the plan until the end of the period you paid for, and
          then move to the Free plan.
        </li>
        <li>
          An upgrade takes effect right away. You’ll pay for the rest of the period, minus what you already paid for the
          smaller plan, and you’ll see the amount before you confirm. A downgrade takes effect when the next period
          starts.
        </li>
        <li>
          If a payment fails, the payment provider retries it for a few days. In the meantime, your plan stays active
          and Settings shows the problem. If every retry fails, the plan will be paused or end, and you’ll move to the
          Free plan. None of your data is deleted.
        </li>
        <li>If we raise a price, we’ll tell you at least 30 days before you pay the new one.</li>
      </ul>
      <p>
        Your order is placed with Paddle.com, our payment provider, which sells to you as merchant of record: it charges
        you, adds tax, sends the invoice, and pays refunds, under its own buyer terms. The service itself is provided by
        us. We never see or store your card number.
      </p>
    </>
  ),
});

const refunds: DocumentSection = {
  id: "refunds",
  title: "Refunds",
  body: (
    <p>
      Subscription fees are refunded on request within {REFUND_WINDOW_DAYS.monthly} days for monthly plans and{" "}
      {REFUND_WINDOW_DAYS.annual} days for annual plans. Purchased credits are not refundable. The{" "}
      <Link className="link" href="/refund-policy">
        refund policy
      </Link>{" "}
      has the details and is part of these terms.
    </p>
  ),
};

const availability: DocumentSection = {
  id: "availability",
  title: "Availability and support",
  body: (
    <>
      <p>
        We aim for {UPTIME_CLAIM} uptime and publish our measurements on the{" "}
        <Link className="link" href="/status">
          status page
        </Link>
        . This is a goal, not a guarantee. Maintenance and outages of services we depend on can interrupt the service.
      </p>
      <p>
        General support is available {SUPPORT_HOURS}, and we reply {SUPPORT_REPLY} on business days. Plans with priority
        support get the response described in the plan.
      </p>
    </>
  ),
};

const ending: DocumentSection = {
  id: "ending",
  title: "Closing your account",
  body: (
    <>
      <p>
        You can delete your account at any time in Settings, after confirming that it’s you. That deletes your data as
        described in the{" "}
        <Link className="link" href="/privacy-policy#how-long-we-keep-it">
          privacy policy
        </Link>
        , stops all scheduled pins, ends any active plan immediately, and can’t be undone. You lose unused credits, and
        the rest of a paid period is not refunded automatically. If you want a refund, ask for it first.
      </p>
      <p>
        We may suspend or close an account that breaks these terms, puts others or the service at risk, or is used for
        fraud. Unless it is urgent or the law forbids it, we’ll tell you first, explain why, and give you time to
        respond and to export your data. If we close your account without such a reason, we’ll give you 30 days’ notice
        and refund the unused part of what you paid.
      </p>
    </>
  ),
};

const liability: DocumentSection = {
  id: "liability",
  title: "Liability",
  body: (
    <>
      <p>
        We provide the service with reasonable care and skill. We don’t promise that your pins will reach a certain
        number of people, that AI-generated content is correct, or that Pinterest will behave in a certain way.
      </p>
      <p>
        Nothing in these terms limits liability for death or personal injury caused by negligence, for fraud, or for
        anything else that can’t be limited by law. Your rights as a consumer are not affected.
      </p>
      <p>
        Otherwise, if you use the service for a business, we are not liable for lost profit, lost sales, or indirect
        loss, and our total liability for all claims in one year is limited to what you paid us in that year or 100
        British pounds (or its equivalent in your currency), whichever is greater. If you are a consumer, we are liable
        for loss that was a foreseeable result of our breach of this contract.
      </p>
    </>
  ),
};

const closing = ({ supportEmail }: ProductFacts): DocumentSection => ({
  id: "changes-and-law",
  title: "Changes, law, and disputes",
  body: (
    <>
      <p>
        When we change these terms, we’ll update the date at the top. We’ll email you about significant changes at least
        30 days in advance. If you don’t agree, you can delete your account before they take effect.
      </p>
      <p>
        These terms are governed by the law of England and Wales, and its courts have jurisdiction. If you are a
        consumer living elsewhere, you also have the protection of your country’s mandatory laws and may bring a claim
        there.
      </p>
      <p>
        If a part of these terms is invalid, the rest still applies. Please email <EmailLink address={supportEmail} />{" "}
        before going to court. Most things can be settled that way.
      </p>
    </>
  ),
});

/** The second half of the terms: credits, payment, ending and liability. */
export const moneyTerms = (product: ProductFacts): readonly DocumentSection[] => [
  credits,
  plans(),
  refunds,
  availability,
  ending,
  liability,
  closing(product),
];
