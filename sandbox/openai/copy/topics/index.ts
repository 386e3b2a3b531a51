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

const LONGEST_CLUE_WORDS = 3;

/** The topic a keyword belongs to: the one with most of its words in it; a clue weighs as many as it has words. */
export function detectTopic(keyword: string): Topic {
  const clues = cluesIn(keyword);
  let best = general;
  let bestScore = 0;
  for (const topic of topics) {
    const found = topic.words.filter((word) => clues.has(word));
    const score = found.reduce((sum, word) => sum + word.split(" ").length, 0);
    if (score > bestScore) [best, bestScore] = [topic, score];
  }
  return best;
}

/** Every run of one to three words in a keyword, lower case, without accents, also in the singular. */
function cluesIn(keyword: string): Set<string> {
  const plain = keyword.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("’", "'");
  const words = plain.split(/[^\p{L}\p{N}']+/u).filter(Boolean);
  const clues = new Set<string>();
  for (let start = 0; start < words.length; start++) {
    for (let length = 1; length <= LONGEST_CLUE_WORDS && start + length <= words.length; length++) {
      for (const form of singularForms(words.slice(start, start + length).join(" "))) clues.add(form);
    }
  }
  return clues;
}

function singularForms(text: string): string[] {
  return [text, text.replace(/s$/, ""), text.replace(/es$/, ""), text.replace(/ies$/, "y"), text.replace(/'s$/, "")];
}
