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
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { ESTIMATE_SECONDS, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import { RESET_LIFE_MS } from "#lib/features/identity/constants.ts";
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
const accountBilling = (): FaqCategory => ({
  id: "account-billing",
  title: "Account & Billing",
  items: [...billing, ...account],
});

const analytics: FaqItem = {
  id: "analytics",
  question: "Can I see how my pins perform?",
  answer: [
    "Yes. Analytics shows impressions, saves and clicks of the last 90 days, for the account by day and for the pins you published by the keyword, board, weekday, hour and template they were made with. The figures are Pinterest’s own, are final after about two days, and are kept here for a day at most. What has been seen too seldom to judge is marked “too early to tell”.",
  ],
};

/** Figures of pins and of the product itself. */
const analyticsPerformance = ({ name }: ProductFacts): FaqCategory => ({
  id: "analytics-performance",
  title: "Analytics & Performance",
  items: [
    analytics,
    {
      id: "where-numbers-come-from",
      question: "Where do the numbers on the account cards come from?",
      answer: [
        "From Pinterest, at the moment you look; we keep them for no longer than a minute. Pinterest’s rules ask for that, and so a number that Pinterest changes changes here as well. A dash means that Pinterest did not tell.",
      ],
    },
    {
      id: "receipt",
      question: "How do I know that a pin really went up?",
      answer: [
        "Each pin has a receipt: when it was sent, what Pinterest answered, and a link to the pin. If an attempt failed, the receipt says why, in words.",
      ],
    },
    {
      id: "how-long-a-pin-takes",
      question: "How long does it take to make a pin?",
      answer: [
        `About ${ESTIMATE_SECONDS.standard} seconds in standard and ${ESTIMATE_SECONDS.high} in high quality, and several are made side by side. The panel shows the time remaining from what was measured lately, with the line ahead of you counted in.`,
      ],
    },
    {
      id: "reach",
      question: `Will ${name} bring me more visitors?`,
      answer: [
        "We promise no numbers. What gets shown to whom is Pinterest’s decision and changes often. What we can do is let you publish useful, well described pins steadily, in less time.",
      ],
    },
    {
      id: "uptime",
      question: `How reliable is ${name}?`,
      answer: [
        `We aim at ${UPTIME_CLAIM} uptime, and publish what was measured, minute by minute, on the `,
        { words: "status page", href: "/status" },
        ". Scheduled pins survive a failure: what was due meanwhile goes out as soon as the service is back.",
      ],
    },
  ],
});

const DAY_MINUTES = 24 * 60;

const making = (): readonly FaqItem[] => [
  {
    id: "cost-of-a-pin",
    question: "What does a pin cost?",
    answer: [
      `${COST_CREDITS.high} credits in high quality, ${COST_CREDITS.standard} in standard. That covers title, description, alternative text and picture. Editing, scheduling and publishing cost nothing.`,
    ],
  },
  {
    id: "failed-pins",
    question: "Do I pay for pins that fail?",
    answer: [
      "No. Credits are set aside when a pin is started and spent when it is finished. If it fails, its credits come back by themselves. If you cancel while pins are being made, those that were not begun are not made, and their credits come back too.",
    ],
  },
  {
    id: "how-many-keywords",
    question: "How many keywords can I give at once?",
    answer: [
      `${KEYWORDS_MAX}. Paste them as lines; each becomes one pin. If your credits are enough for some of them only, those are made and you are told how many were left out.`,
    ],
  },
  {
    id: "languages",
    question: "In which languages does it write?",
    answer: ["In the language of your keyword. Type it in French, and title and description come in French."],
  },
  {
    id: "ai-label",
    question: "Are the pins labelled as made by AI?",
    answer: [
      "Yes. The picture’s data says that a model made it, and the pin carries Pinterest’s label for AI content wherever Pinterest takes it; if it does not, the receipt says so. We leave neither out: Pinterest wants it, and some countries’ laws demand it.",
    ],
  },
  {
    id: "own-pictures",
    question: "Can I make pins from my own pictures?",
    answer: ["Yes. Manual Pin Creation takes your pictures, up to 100 at a time, and costs no credits."],
  },
];

const publishing = (name: string): readonly FaqItem[] => [
  {
    id: "unseen",
    question: "Is anything published without my say?",
    answer: [
      `No. Every pin is a draft until you choose it. There is no switch that publishes whatever was made, and there will be none: Pinterest asks for the same, and so do we of ${name}.`,
    ],
  },
  {
    id: "edit",
    question: "Can I change a pin before it goes up?",
    answer: [
      "Yes. Title, description and link of a draft can be edited, also after a failed attempt. Once a pin is on Pinterest, change it there.",
    ],
  },
  {
    id: "schedule",
    question: "How does scheduling work?",
    answer: [
      `Choose drafts in the order in which they should go out, up to ${BATCH_MAX} at once, and set an interval from ${INTERVAL_MIN_MINUTES} minute to ${INTERVAL_MAX_MINUTES / DAY_MINUTES} days; ${INTERVAL_DEFAULT_MINUTES} minutes is where it starts. The first pin goes out at once, the others follow. You see the hours before you agree, and can take a scheduled pin back.`,
    ],
  },
  {
    id: "twice",
    question: "Can a pin be published twice?",
    answer: [
      "That is what we guard against most. The intent is written down before anything is sent. If Pinterest does not answer, your board is searched before another attempt. If even that leaves it open, the pin stops and asks you to look, rather than risk a double.",
    ],
  },
  {
    id: "slow-down",
    question: "What if Pinterest tells my account to slow down?",
    answer: [
      "Its pins wait as long as Pinterest asks, a day after a spam warning, and then leave one by one in their order. The pin says what it is waiting for. Wider intervals help to avoid it.",
    ],
  },
];

const VIDEOS: FaqItem = {
  id: "videos",
  question: "What is the video extractor?",
  answer: [
    "A tool for research. You paste the source of a TikTok page, and it lists the videos on it with their views, dates and hashtags, counts them, and exports them as a table. The page is read in your browser: nothing of it is sent to us unless you save videos. From a saved video you can take keywords for pins, where you have the right to use the idea.",
  ],
};

/** Making, choosing and publishing pins, and where ideas come from. */
const featuresUsage = ({ name }: ProductFacts): FaqCategory => ({
  id: "features-usage",
  title: "Features & Usage",
  items: [...making(), ...publishing(name), VIDEOS],
});

const highPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.high);
const standardPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.standard);

/** First steps, and the free allowance as the credits really are (R-FAQ-02, R-FAQ-04, A-06). */
const gettingStarted = ({ name }: ProductFacts): FaqCategory => ({
  id: "getting-started",
  title: "Getting Started",
  items: [
    {
      id: "what-it-is",
      question: `What does ${name} do?`,
      answer: [
        `You type keywords, each with a link if you like. ${name} writes a title and a description for each and draws a picture. You look at the drafts, change what you want, choose the ones you like, and set an interval. Each pin you chose is then published to your Pinterest board once, at its time.`,
      ],
    },
    {
      id: "free-plan",
      question: "Is there a free plan?",
      answer: [
        `Yes. It gives you ${FREE_ALLOWANCE} free credits every calendar month, enough for ${standardPins} pins in standard or ${highPins} in high quality. It needs no card and does not run out. What you do not use does not carry over. `,
        { words: "See all plans", href: "/pricing" },
        ".",
      ],
    },
    {
      id: "connect",
      question: "How do I connect my Pinterest account?",
      answer: [
        `Press Connect Account. You are sent to Pinterest, which asks whether ${name} may read your boards and create pins, and brings you back. We never see your Pinterest password. You can remove the account here at any time, or take the access away in Pinterest’s own settings.`,
      ],
    },
    {
      id: "business-account",
      question: "Do I need a Pinterest business account?",
      answer: ["No. Personal and business accounts both work."],
    },
    {
      id: "how-many-accounts",
      question: "How many Pinterest accounts can I connect?",
      answer: [
        `${free.accounts} with the free plan, ${basic.accounts} with ${basic.name}, ${growth.accounts} with ${growth.name}, ${pro.accounts} with ${pro.name}. Nothing is removed if you move to a smaller plan; you only cannot add another.`,
      ],
    },
    {
      id: "age",
      question: "How old do I have to be?",
      answer: ["18 or over, as our ", { words: "terms", href: "/terms-of-service#age" }, " say."],
    },
  ],
});

/** The four categories in their order (R-FAQ-02). */
export const faqs = (product: ProductFacts): readonly FaqCategory[] => [
  gettingStarted(product),
  featuresUsage(product),
  analyticsPerformance(product),
  accountBilling(),
];

/** A piece of an answer: words, or a link with its words. */
export type FaqPiece = string | { words: string; href: string };

type FaqItem = { id: string; question: string; answer: readonly FaqPiece[] };
type FaqCategory = { id: string; title: string; items: readonly FaqItem[] };

/** An answer without its links, for machines (JSON-LD) and search. */
export const plainAnswer = ({ answer }: FaqItem): string =>
  answer.map((piece) => (typeof piece === "string" ? piece : piece.words)).join("");
