import type { FaqCategory, FaqItem } from "#components/site/faqs/faq-text.ts";
import type { ProductFacts } from "#components/site/product-facts.ts";
import { ESTIMATE_SECONDS } from "#lib/features/generation/constants.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";

const analytics: FaqItem = {
  id: "analytics",
  question: "Can I see how my pins perform?",
  answer: [
    "Yes. Analytics shows impressions, saves and clicks of the last 90 days, for the account by day and for the pins you published by the keyword, board, weekday, hour and template they were made with. The figures are Pinterest’s own, are final after about two days, and are kept here for a day at most. What has been seen too seldom to judge is marked “too early to tell”.",
  ],
};

/** Figures of pins and of the product itself. */
export const analyticsPerformance = ({ name }: ProductFacts): FaqCategory => ({
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
