import type { Topic } from "../topic.ts";
import { art } from "./art.ts";
import { baking } from "./baking.ts";
import { beauty } from "./beauty.ts";
import { books } from "./books.ts";
import { crafts } from "./crafts.ts";
import { fashion } from "./fashion.ts";
import { fitness } from "./fitness.ts";
import { food } from "./food.ts";
import { gardening } from "./gardening.ts";
import { general } from "./general.ts";
import { handiwork } from "./handiwork.ts";
import { interiors } from "./interiors.ts";
import { money } from "./money.ts";
import { organising } from "./organising.ts";
import { outdoors } from "./outdoors.ts";
import { parenting } from "./parenting.ts";
import { pets } from "./pets.ts";
import { seasonal } from "./seasonal.ts";
import { study } from "./study.ts";
import { travel } from "./travel.ts";
import { weddings } from "./weddings.ts";
import { wellbeing } from "./wellbeing.ts";

/** The more particular topics stand first: on a draw the earlier one wins. */
const topics: readonly Topic[] = [
  weddings,
  pets,
  parenting,
  baking,
  food,
  money,
  beauty,
  fashion,
  crafts,
  fitness,
  travel,
  outdoors,
  organising,
  gardening,
  seasonal,
  handiwork,
  books,
  art,
  study,
  wellbeing,
  interiors,
];

type Clue = { pattern: RegExp; weight: number };

/** Each topic's words as patterns; a phrase says more than a word, so it weighs as many as it has. */
const clues = new Map(
  topics.map((topic): [Topic, Clue[]] => [
    topic,
    topic.words.map((word) => ({ pattern: toPattern(word), weight: word.split(" ").length })),
  ]),
);

function toPattern(word: string): RegExp {
  const endsHissing = /(?:s|x|z|ch|sh|o)$/.test(word);
  const plural = word.endsWith("y")
    ? `(?:${word}|${word.slice(0, -1)}ies)`
    : `${word}(?:${endsHissing ? "s|es" : "s"})?`;
  return new RegExp(`(?<![\\p{L}\\p{N}])${plural}(?:['’]s)?(?![\\p{L}\\p{N}])`, "u");
}

/** The topic a keyword belongs to: the one with most of its words in it. */
export function detectTopic(keyword: string): Topic {
  const text = keyword.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("-", " ");
  let best = general;
  let bestScore = 0;
  for (const topic of topics) {
    const found = (clues.get(topic) ?? []).filter(({ pattern }) => pattern.test(text));
    const score = found.reduce((sum, { weight }) => sum + weight, 0);
    if (score > bestScore) [best, bestScore] = [topic, score];
  }
  return best;
}
