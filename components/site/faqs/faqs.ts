import type { ProductFacts } from "#components/site/structured-data.tsx";
import { formatDollars } from "#lib/core/money.ts";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import {
  REFUND_REVIEW_BUSINESS_DAYS,
  REFUND_TRANSIT_BUSINESS_DAYS,
  REFUND_WINDOW_DAYS,
} from "#lib/features/billing/constants.ts";
import { FREE_ALLOWANCE, PLANS } from "#lib/features/billing/plans.ts";
import { VOICE_LANGUAGES } from "#lib/features/branding/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { ESTIMATE_SECONDS, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { RESET_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { BULK_MAX } from "#lib/features/pins/constants.ts";
import {
  BATCH_MAX,
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
} from "#lib/features/publishing/constants.ts";

const { free, basic, growth, pro } = PLANS;

const billing: readonly FaqItem[] = [
  {
    id: "plans",
    question: "What plans do you offer?",
    answer: [
      `Free at ${formatDollars(free.priceTenthsOfCent)}, ${basic.name} at ${formatDollars(basic.priceTenthsOfCent)}, ${growth.name} at ${formatDollars(growth.priceTenthsOfCent)}, and ${pro.name} at ${formatDollars(pro.priceTenthsOfCent)} a month. They differ in monthly credits, connected accounts, and the price of extra credits. `,
      { text: "Compare them", href: "/pricing" },
      ".",
    ],
  },
  {
    id: "change-plan",
    question: "How do I change my plan?",
    answer: [
      "Sign in and go to ",
      { text: "Pricing", href: "/pricing" },
      ". An upgrade starts right away: you’ll pay for the rest of the billing period and get the additional credits for it, and you’ll see both before you confirm. A downgrade starts with your next renewal.",
    ],
  },
  {
    id: "cancel",
    question: "How do I cancel?",
    answer: [
      "In Settings, under Plan. You’ll keep your plan until the end of the period you paid for, and you can undo the cancellation until then. After that, you’ll be on the Free plan. Credits you bought will stay in your account.",
    ],
  },
  {
    id: "failed-payment",
    question: "What happens if a payment fails?",
    answer: [
      "You’ll see it in Settings, where you can update your payment method. We’ll retry the charge for a few days, and your plan will stay active in the meantime. If every retry fails, your plan will be paused or end, and you’ll move to the Free plan.",
    ],
  },
  {
    id: "receipts",
    question: "Where are my receipts?",
    answer: ["In Settings, under Payments. Every payment is listed there, and each successful one has a receipt."],
  },
  {
    id: "expiry",
    question: "Do credits expire?",
    answer: [
      "The credits in your plan are for one billing period and don’t roll over. Purchased credits don’t expire. Your plan’s credits are used first.",
    ],
  },
  {
    id: "money-back",
    question: `Is there a ${REFUND_WINDOW_DAYS.monthly}-day money-back guarantee?`,
    answer: [
      `Yes, for subscription fees. There’s a ${REFUND_WINDOW_DAYS.monthly}-day money-back guarantee on monthly plans, and a ${REFUND_WINDOW_DAYS.annual}-day one on annual plans if we offer them. It does not cover purchased credits. See the `,
      { text: "refund policy", href: "/refund-policy" },
      " for details.",
    ],
  },
  {
    id: "refund-time",
    question: "How long does a refund take?",
    answer: [
      `We review your request within ${REFUND_REVIEW_BUSINESS_DAYS} business days. Once it’s approved, the money takes ${REFUND_TRANSIT_BUSINESS_DAYS.card} business days to reach a card, ${REFUND_TRANSIT_BUSINESS_DAYS.paypal} for PayPal, and ${REFUND_TRANSIT_BUSINESS_DAYS.bankTransfer} for a bank transfer.`,
    ],
  },
  {
    id: "refund-credits",
    question: "Can I get a refund for purchased credits?",
    answer: ["No, purchased credits are not refundable. They don’t expire, so you can use them whenever you like."],
  },
];

const account: readonly FaqItem[] = [
  {
    id: "lost-password",
    question: "I forgot my password. What now?",
    answer: [
      "Request a link on the ",
      { text: "password reset page", href: "/forgot-password" },
      `. The link works once and expires after ${RESET_LIFETIME_MS / MINUTE_MS} minutes. Setting a new password signs you out on all your devices.`,
    ],
  },
  {
    id: "change-details",
    question: "Can I change my email address or password?",
    answer: [
      "Yes, both in Settings. A new email address takes effect once you select the link we send there. A new password signs you out on your other devices.",
    ],
  },
  {
    id: "delete",
    question: "How do I download my data or delete my account?",
    answer: [
      "In Settings you can download everything we store about you, or delete your account along with its pins, images, and Pinterest tokens. Pins you’ve published stay on Pinterest. The ",
      { text: "privacy policy", href: "/privacy-policy#how-long-we-keep-it" },
      " explains what we keep and for how long.",
    ],
  },
  {
    id: "support",
    question: "How do I contact support?",
    answer: [
      "Use the ",
      { text: "contact page", href: "/contact-us" },
      `. We’re available ${SUPPORT_HOURS} and reply ${SUPPORT_REPLY} on business days.`,
    ],
  },
];

const accountBilling = (): FaqCategory => ({
  id: "account-billing",
  title: "Account & Billing",
  items: [...billing, ...account],
});

const analytics: FaqItem = {
  id: "analytics",
  question: "Can I see how my pins perform?",
  answer: [
    "Yes. Analytics shows impressions, saves, and clicks for the last 90 days: per day for your account, and by keyword, board, weekday, hour, and template for the pins you published. The numbers come straight from Pinterest and are final after about two days. We keep them for a day at most. Anything with too little data is marked “too early to tell”.",
  ],
};

const analyticsPerformance = ({ name }: ProductFacts): FaqCategory => ({
  id: "analytics-performance",
  title: "Analytics & Performance",
  items: [
    analytics,
    {
      id: "where-numbers-come-from",
      question: "Where do the numbers on the account cards come from?",
      answer: [
        "Straight from Pinterest, when you open the page. Pinterest’s rules don’t allow us to store them, so we keep them for a minute at most. A dash means Pinterest didn’t send that number.",
      ],
    },
    {
      id: "receipt",
      question: "How do I know a pin was really published?",
      answer: [
        "Every pin has a receipt: when it was sent, how Pinterest responded, and a link to the pin. If an attempt failed, the receipt tells you why in plain English.",
      ],
    },
    {
      id: "how-long-a-pin-takes",
      question: "How long does it take to generate a pin?",
      answer: [
        `About ${ESTIMATE_SECONDS.standard} seconds for a standard pin and ${ESTIMATE_SECONDS.high} for a high-quality pin, and several pins are generated at once. The progress panel shows the time remaining, based on recent pins and the queue ahead of you.`,
      ],
    },
    {
      id: "reach",
      question: `Will ${name} bring me more visitors?`,
      answer: [
        "We don’t promise numbers. Pinterest decides who sees what, and that changes often. What we can do is help you publish useful, well-described pins consistently, in less time.",
      ],
    },
    {
      id: "uptime",
      question: `How reliable is ${name}?`,
      answer: [
        `We aim for ${UPTIME_CLAIM} uptime and publish our measured uptime on the `,
        { text: "status page", href: "/status" },
        ". Scheduled pins survive an outage: once the service is back, any that came due are published in order, with the spacing you scheduled.",
      ],
    },
  ],
});

const DAY_MINUTES = 24 * 60;

const generating = (): readonly FaqItem[] => [
  {
    id: "cost-of-a-pin",
    question: "How much does a pin cost?",
    answer: [
      `A high-quality pin costs ${COST_CREDITS.high} credits, and a standard pin costs ${COST_CREDITS.standard}. That includes the title, description, alt text, and image. Editing, scheduling, and publishing are free.`,
    ],
  },
  {
    id: "failed-pins",
    question: "Do I pay for failed pins?",
    answer: [
      "No. Credits are reserved when generation starts and spent when a pin is finished. If a pin fails, its credits are returned automatically. If you cancel a batch, you also get back the credits for pins that hadn’t started.",
    ],
  },
  {
    id: "how-many-keywords",
    question: "How many keywords can I enter at once?",
    answer: [
      `Up to ${KEYWORDS_MAX}, for up to ${KEYWORDS_MAX} pins in all. Paste one keyword per line, and choose one to four pins for each. If you don’t have enough credits for all of them, we generate as many as you can afford and tell you how many were left out.`,
    ],
  },
  {
    id: "languages",
    question: "Which languages does it write in?",
    answer: [
      `The language of your keyword: enter it in French, and you get a French title and description. Or choose one of ${Object.keys(VOICE_LANGUAGES).length} languages for an account in its brand voice.`,
    ],
  },
  {
    id: "ai-label",
    question: "Are the pins labeled as made by AI?",
    answer: [
      "Yes, if AI made the image. Its metadata says so, and we send Pinterest’s AI label with the pin wherever Pinterest supports it. If Pinterest doesn’t, the pin’s publishing receipt says so. Pinterest asks for these labels, and some countries require them by law, so you can’t turn them off.",
    ],
  },
  {
    id: "own-images",
    question: "Can I make pins from my own images?",
    answer: [`Yes. With Manual Pin Creation you can upload up to ${BULK_MAX} images at a time. It costs no credits.`],
  },
];

const KEYWORDS: FaqItem = {
  id: "keywords",
  question: "How do I find out what people search for?",
  answer: [
    "The Keywords screen shows Pinterest’s search trends by region, interest, age, and gender, with their growth and when to publish for a season. Save keywords to lists, or make pins from them. It needs a connected Pinterest account.",
  ],
};

const publishing = (name: string): readonly FaqItem[] => [
  {
    id: "unseen",
    question: "Is anything published without my approval?",
    answer: [
      `No. Every pin is a draft until you schedule it. ${name} has no setting that publishes everything automatically and never will: Pinterest’s rules require you to choose each pin, and we agree with them. Your own programs and connected apps can schedule pins only if you give them that permission.`,
    ],
  },
  {
    id: "edit",
    question: "Can I edit a pin before it’s published?",
    answer: [
      "Yes. You can edit the title, description, alt text, link, and board of any draft, even after a failed attempt. Once a pin is on Pinterest, edit it there.",
    ],
  },
  {
    id: "schedule",
    question: "How does scheduling work?",
    answer: [
      `Select up to ${BATCH_MAX} drafts in the order you want them published, and set an interval from ${INTERVAL_MIN_MINUTES} minute to ${INTERVAL_MAX_MINUTES / DAY_MINUTES} days. The default is ${INTERVAL_DEFAULT_MINUTES} minutes. Start right away or at a time you choose, or use your posting slots or a safe pace instead. You’ll see when each pin will be published before you confirm, and you can unschedule any of them later.`,
    ],
  },
  {
    id: "twice",
    question: "Can a pin be published twice?",
    answer: [
      "We’ve put most of our work into preventing exactly that. We record every attempt before we send it. If Pinterest doesn’t respond, we check your board before trying again. If it’s still unclear, we stop and ask you to take a look rather than risk a duplicate.",
    ],
  },
  {
    id: "slow-down",
    question: "What if Pinterest asks my account to slow down?",
    answer: [
      "Your pins wait as long as Pinterest asks, or for a day after a spam warning, and then go out one by one in order. Each pin shows what it’s waiting for. Longer intervals help prevent this.",
    ],
  },
];

const VIDEOS: FaqItem = {
  id: "videos",
  question: "What is the video extractor?",
  answer: [
    "A research tool. Paste the source of a TikTok page to list its videos with their views, dates, and hashtags, see totals, and export them as a table. The page is read in your browser, and nothing is sent to us unless you save videos. You can turn saved videos into pin keywords, as long as you have the right to use the idea.",
  ],
};

const featuresUsage = ({ name }: ProductFacts): FaqCategory => ({
  id: "features-usage",
  title: "Features & Usage",
  items: [...generating(), ...publishing(name), KEYWORDS, VIDEOS],
});

const highPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.high);
const standardPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.standard);

const gettingStarted = ({ name }: ProductFacts): FaqCategory => ({
  id: "getting-started",
  title: "Getting Started",
  items: [
    {
      id: "what-it-is",
      question: `What does ${name} do?`,
      answer: [
        `Enter keywords, each with a link if you like. ${name} writes a title and description for each one and creates an image. Review the drafts, edit what you want, select the ones you like, and set an interval. Each selected pin is published to your Pinterest board exactly once, at its scheduled time.`,
      ],
    },
    {
      id: "free-plan",
      question: "Is there a free plan?",
      answer: [
        `Yes. You get ${FREE_ALLOWANCE} free credits every calendar month, enough for ${standardPins} standard pins or ${highPins} high-quality ones. No credit card is required, and the plan never expires. Unused free credits don’t roll over. Each Pinterest account gets them once a month, even if several users connect it. Once you’ve used your first ${FREE_ALLOWANCE}, confirm your email to keep using free credits. `,
        { text: "See all plans", href: "/pricing" },
        ".",
      ],
    },
    {
      id: "connect",
      question: "How do I connect my Pinterest account?",
      answer: [
        `Select Connect Account. Pinterest asks whether ${name} may read your boards and create pins, then brings you back. We never see your Pinterest password. You can remove the account in ${name} at any time, or revoke access in your Pinterest settings.`,
      ],
    },
    {
      id: "business-account",
      question: "Do I need a Pinterest business account?",
      answer: ["No. Both personal and business accounts work."],
    },
    {
      id: "how-many-accounts",
      question: "How many Pinterest accounts can I connect?",
      answer: [
        `${free.accounts} on the Free plan, ${basic.accounts} on ${basic.name}, ${growth.accounts} on ${growth.name}, and ${pro.accounts} on ${pro.name}. If you downgrade, your accounts stay connected, but you can’t add new ones above the limit.`,
      ],
    },
    {
      id: "age",
      question: "How old do I have to be?",
      answer: ["18 or older. See our ", { text: "terms", href: "/terms-of-service#age" }, "."],
    },
  ],
});

/** Returns the four FAQ categories in order. */
export const faqs = (product: ProductFacts): readonly FaqCategory[] => [
  gettingStarted(product),
  featuresUsage(product),
  analyticsPerformance(product),
  accountBilling(),
];

/** A piece of an answer: plain text or a link. */
export type FaqPiece = string | { text: string; href: string };

type FaqItem = { id: string; question: string; answer: readonly FaqPiece[] };
type FaqCategory = { id: string; title: string; items: readonly FaqItem[] };

/** Returns an answer as plain text, for JSON-LD. */
export const plainAnswer = ({ answer }: FaqItem): string =>
  answer.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
