import { z } from "zod";
import { parseJson } from "#sandbox/kit/values.ts";

/** What a prompt asks for. `insteadOf` is a text to replace, `take` which of several texts is wanted. */
export type PinRequest = {
  keyword: string;
  host?: string | undefined;
  page?: PageFacts | undefined;
  insteadOf?: string | undefined;
  otherTitles?: string[] | undefined;
  language?: string | undefined;
  take?: number | undefined;
};

export type PageFacts = { name: string; price: string | undefined; ingredients: string[] };

const FALLBACK_KEYWORD = "good ideas";
const MAX_SENTENCE_CHARS = 160;
const MAX_INGREDIENTS = 3;

const text = z.string().optional().catch(undefined);
const ingredients = z.array(z.unknown()).catch([]);
/** The data of a prompt. Fields of another type are ignored. */
const promptData = z.object({
  keyword: z.string(),
  address: text,
  page: z
    .object({
      title: text,
      product: z.object({ name: text, price: text }).optional().catch(undefined),
      recipe: z.object({ name: text, ingredients }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  voice: z.object({ language: text }).optional().catch(undefined),
  instead_of: text,
  other_titles: z.array(z.coerce.string()).optional().catch(undefined),
  take: z.number().optional().catch(undefined),
});
type PromptData = z.output<typeof promptData>;

/** Finds the keyword in a prompt: a JSON object with a `keyword`, alone or on a line, or else the first sentence. */
export function readPinRequest(prompt: string): PinRequest {
  // Prompts carry their data on a separate line.
  const parts = [prompt, ...prompt.split("\n").filter((line) => line.trim().startsWith("{"))];
  const data = parts.map((part) => promptData.safeParse(parseJson(part)).data).find((found) => found !== undefined);
  if (data === undefined) return { keyword: tidy(firstSentence(prompt)) };
  return {
    keyword: tidy(data.keyword),
    host: URL.parse(data.address ?? "")?.hostname.replace(/^www\./, "") || undefined,
    page: pageOf(data),
    insteadOf: data.instead_of,
    otherTitles: data.other_titles,
    language: data.voice?.language,
    take: data.take,
  };
}

function pageOf({ page }: PromptData): PageFacts | undefined {
  const name = page?.product?.name ?? page?.recipe?.name ?? page?.title;
  if (name === undefined) return undefined;
  const listed = (page?.recipe?.ingredients ?? []).filter((one) => typeof one === "string");
  return { name, price: page?.product?.price, ingredients: listed.slice(0, MAX_INGREDIENTS) };
}

function firstSentence(prompt: string): string {
  const [first = prompt] = prompt.trim().split(/(?<=[.!?])\s|\n/u);
  return first.slice(0, MAX_SENTENCE_CHARS);
}

/** Plain text on one line: no markup, emoji, control characters or trailing punctuation. */
function tidy(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/<[^>]*>/gu, " ")
    .replace(/\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\uFE0F|\u200D|\u20E3/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}<>{}[\]|\\^~`"“”#*_=]/gu, " ")
    .replace(/!+/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[\s.,;:…–-]+$/u, "")
    .replace(/^[\s.,;:…–-]+/u, "");
  return plain === "" ? FALLBACK_KEYWORD : plain;
}

/** A topic: the words that indicate it, the backgrounds that fit, and its captions. */
export type Topic = { words: string; motifs: readonly string[]; captions: readonly string[] };

const GENERAL: Topic = {
  words: "",
  motifs: [],
  captions: ["Worth a try", "Saved for later", "A good start", "One small step"],
};

/** Specific topics come first: in a tie, the earlier one wins. */
const TOPICS: readonly Topic[] = [
  {
    words: "wedding bridal bride bouquet ceremony vow engagement anniversary",
    motifs: ["branches", "candles", "figs", "olive", "eucalyptus", "wreath"],
    captions: ["For the day itself", "Two chairs, one table", "Flowers first", "A long table"],
  },
  {
    words: "dog puppy cat kitten pet toddler kid kids child children baby parenting montessori family nursery",
    motifs: ["cut-outs", "hills", "dunes", "tiles"],
    captions: ["For small hands", "A good afternoon", "Play first", "Every day a little"],
  },
  {
    words: "bread sourdough cake cookie bake baking dough muffin tart pastry pie loaf scone biscuit brownie",
    motifs: ["bread", "tea", "fruit", "cut-outs"],
    captions: ["From a warm oven", "Sunday baking", "Best on the day", "A tin worth filling"],
  },
  {
    words:
      "recipe dinner lunch breakfast meal food cook cooking vegan pasta soup salad chicken dessert citrus pancake " +
      "party snack fryer curry drink tea coffee grocery supper crème brûlée creme brulee",
    motifs: ["fruit", "bread", "tea", "herb", "olive", "cut-outs", "tiles"],
    captions: ["Ready by seven", "One pan, no hurry", "Good all week", "Cook once, eat twice"],
  },
  {
    words:
      "garden balcony plant houseplant flower rose vegetable herb compost raised bed seed meadow grow pruning prune " +
      "tulip terrace",
    motifs: ["pots", "figs", "herb", "umbel", "eucalyptus", "hills"],
    captions: ["Sun, soil, water", "A garden in pots", "Sow now", "Before the first frost"],
  },
  {
    words: "christmas halloween easter winter autumn spring summer wreath holiday gift evergreen fir thanksgiving",
    motifs: ["wreath", "fir", "candles", "branches", "peaks"],
    captions: ["For the season", "Made for short days", "A quiet holiday", "Bring the outside in"],
  },
  {
    words:
      "travel weekend trip city packing beach coast hike hiking walk ridge cabin camping mountain lake island lisbon " +
      "tokyo paris rome italy map swimming",
    motifs: ["hills", "peaks", "water", "dunes", "fir", "tiles"],
    captions: ["Two days, one bag", "The slow way round", "Go early", "Pack light"],
  },
  {
    words:
      "room bedroom living kitchen bathroom home house decor interior sideboard curtain rug linen bedding tile wall " +
      "boho cottage furniture apartment hallway shelf bookshelf",
    motifs: ["home", "candles", "branches", "figs", "pots", "tiles", "eucalyptus"],
    captions: ["Room by room", "Less, but better", "A calm corner", "Light from the left"],
  },
  {
    words:
      "quilt crochet knit knitting sewing craft diy paper pottery watercolour watercolor painting drawing ikea art",
    motifs: ["cut-outs", "tiles", "pots", "wreath"],
    captions: ["Made by hand", "A rainy-day project", "Slow stitches", "An evening's work"],
  },
  {
    words:
      "money budget save saving book reading list study exam journal planner organisation organization pantry work",
    motifs: ["begin", "keep", "tiles", "candles", "cut-outs"],
    captions: ["One thing at a time", "A list that works", "Small sums, often", "By the good lamp"],
  },
  {
    words: "wardrobe outfit dress shirt wear shoe fashion makeup hair skin skincare nail beauty style",
    motifs: ["keep", "cut-outs", "tiles", "olive", "branches"],
    captions: ["Fewer, better, longer", "Seven days, one rail", "A gentle routine", "Worn, not saved"],
  },
  {
    words: "yoga workout fitness run running morning routine self care wellness meditation sleep stretch core mindful",
    motifs: ["dunes", "water", "hills", "tea", "eucalyptus", "begin"],
    captions: ["Ten minutes a day", "Breathe first", "Start where you are", "Slow mornings"],
  },
];

const wordsOf = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}']+/u);
const vocabulary = TOPICS.map((topic) => ({ topic, words: new Set(wordsOf(topic.words)) }));

/** The topic that most words of a keyword indicate. */
export function detectTopic(keyword: string): Topic {
  const forms = wordsOf(keyword).map((word) => [word, word.replace(/e?s$/, ""), word.replace(/s$/, "")]);
  const scored = vocabulary.map(({ topic, words }) => ({
    topic,
    score: forms.filter((all) => all.some((form) => words.has(form))).length,
  }));
  const best = scored.reduce((item, other) => (other.score > item.score ? other : item));
  return best.score > 0 ? best.topic : GENERAL;
}
