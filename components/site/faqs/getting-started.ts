import type { FaqCategory } from "#components/site/faqs/faq-text.ts";
import type { ProductFacts } from "#components/site/product-facts.ts";
import { COST_CREDITS, FREE_ALLOWANCE } from "#lib/features/credits/constants.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

const highPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.high);
const standardPins = Math.floor(FREE_ALLOWANCE / COST_CREDITS.standard);
const { free, basic, growth, pro } = PLANS;

/** First steps, and the free allowance as the credits really are (R-FAQ-02, R-FAQ-04, A-06). */
export const gettingStarted = ({ name }: ProductFacts): FaqCategory => ({
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
