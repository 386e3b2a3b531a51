import type { FaqCategory, FaqItem } from "#components/site/faqs/faq-text.ts";
import type { ProductFacts } from "#components/site/product-facts.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import {
  BATCH_MAX,
  INTERVAL_DEFAULT_MINUTES,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
} from "#lib/features/publishing/constants.ts";

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
export const featuresUsage = ({ name }: ProductFacts): FaqCategory => ({
  id: "features-usage",
  title: "Features & Usage",
  items: [...making(), ...publishing(name), VIDEOS],
});
