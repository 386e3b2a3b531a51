import type { FaqCategory, FaqItem } from "#components/site/faqs/faq-text.ts";
import { formatDollars } from "#lib/core/money.ts";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import {
  REFUND_REVIEW_BUSINESS_DAYS,
  REFUND_TRANSIT_BUSINESS_DAYS,
  REFUND_WINDOW_DAYS,
} from "#lib/features/billing/constants.ts";
import { PLANS, RESET_LIFE_MS } from "#lib/features/identity/constants.ts";

const { free, basic, growth, pro } = PLANS;

const billing: readonly FaqItem[] = [
  {
    id: "plans",
    question: "Which plans are there?",
    answer: [
      `Free at ${formatDollars(free.priceTenthsOfCent)}, ${basic.name} at ${formatDollars(basic.priceTenthsOfCent)}, ${growth.name} at ${formatDollars(growth.priceTenthsOfCent)} and ${pro.name} at ${formatDollars(pro.priceTenthsOfCent)} a month. They differ in credits, connected accounts and the price of extra credits. `,
      { words: "Compare them", href: "/pricing" },
      ".",
    ],
  },
  {
    id: "change-plan",
    question: "How do I change my plan?",
    answer: [
      "On ",
      { words: "Pricing", href: "/pricing" },
      ", signed in. A larger plan begins at once; you see what is due before you agree. A smaller one begins with your next renewal.",
    ],
  },
  {
    id: "cancel",
    question: "How do I cancel?",
    answer: [
      "In Settings, under Plan. You keep the plan until the end of the period you paid for, and can take the cancellation back until then. After that your account goes on with the free plan; credits you bought stay.",
    ],
  },
  {
    id: "failed-payment",
    question: "What happens when a payment fails?",
    answer: [
      "Settings says so, and the charge is tried again for some days while your plan still holds. Update your payment method there. If no try succeeds, the plan is paused or ends, and the free plan applies.",
    ],
  },
  {
    id: "receipts",
    question: "Where are my receipts?",
    answer: ["In Settings, under Payments: every payment is listed there, and each that went through has its receipt."],
  },
  {
    id: "expiry",
    question: "Do credits expire?",
    answer: [
      "The credits of your plan are for one period and do not carry over. Purchased credits do not expire. What your plan includes is used first.",
    ],
  },
  {
    id: "money-back",
    question: `Is there a ${REFUND_WINDOW_DAYS.monthly}-day money-back guarantee?`,
    answer: [
      `Yes, for subscription fees: there is a ${REFUND_WINDOW_DAYS.monthly}-day money-back guarantee on monthly plans, and ${REFUND_WINDOW_DAYS.annual} days on annual ones, should we offer them. It does not cover purchased credits. The `,
      { words: "refund policy", href: "/refund-policy" },
      " has the details.",
    ],
  },
  {
    id: "refund-time",
    question: "How long does a refund take?",
    answer: [
      `We review it within ${REFUND_REVIEW_BUSINESS_DAYS} business days. After that it takes ${REFUND_TRANSIT_BUSINESS_DAYS.card} business days to a card, ${REFUND_TRANSIT_BUSINESS_DAYS.paypal} with PayPal and ${REFUND_TRANSIT_BUSINESS_DAYS.bankTransfer} by bank transfer.`,
    ],
  },
  {
    id: "refund-credits",
    question: "Can I return purchased credits?",
    answer: ["No, purchased credits are not refundable. They wait until you use them."],
  },
];

const account: readonly FaqItem[] = [
  {
    id: "lost-password",
    question: "I have forgotten my password. What now?",
    answer: [
      "Ask for a link on the ",
      { words: "page for lost passwords", href: "/forgot-password" },
      `. It works once and for ${RESET_LIFE_MS / MINUTE_MS} minutes, and a new password ends all logins that were open.`,
    ],
  },
  {
    id: "change-details",
    question: "Can I change my email address or password?",
    answer: [
      "Both, in Settings. A new address holds once you have confirmed it from there; a new password ends your other logins.",
    ],
  },
  {
    id: "delete",
    question: "How do I get my data, or delete my account?",
    answer: [
      "Settings has a download of everything stored about you, and a button that deletes the account with its pins, pictures and Pinterest tokens. Pins that are published stay at Pinterest. The ",
      { words: "privacy policy", href: "/privacy-policy#how-long-we-keep-it" },
      " says what is kept, and how long.",
    ],
  },
  {
    id: "support",
    question: "How do I reach support?",
    answer: [
      "Through the ",
      { words: "contact page", href: "/contact-us" },
      `. We are there ${SUPPORT_HOURS} and reply ${SUPPORT_REPLY} on business days.`,
    ],
  },
];

/** Plans, credits, refunds, and the account itself (R-FAQ-04, A-06, A-07). */
export const accountBilling = (): FaqCategory => ({
  id: "account-billing",
  title: "Account & Billing",
  items: [...billing, ...account],
});
