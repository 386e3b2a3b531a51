import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VOICE_LANGUAGES, type VoiceLanguage } from "#lib/features/branding/constants.ts";
import { inventedNumbers } from "#lib/features/copywriting/invented-numbers.ts";
import { reviewCopy, sameTitles } from "#lib/features/copywriting/review.ts";
import type { PinCopy } from "#lib/integrations/ai/port.ts";
import { writePinCopy } from "#sandbox/openai/copy.ts";

interface Answer {
  keyword: string;
  page: { title: string; facts: string[] } | null;
  otherTitles: string[];
  copy: PinCopy;
  /** What is wrong with it; good answers have none. */
  problem?: string;
}

const answersIn = (name: string): Answer[] =>
  readFileSync(new URL(`../support/copy-answers/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const faultsOf = async ({ keyword, page, otherTitles, copy }: Answer): Promise<string[]> => {
  const sources = page ? [page.title, ...page.facts] : [];
  const invented = inventedNumbers(Object.values(copy), [keyword, ...sources], page ? "all" : "claims");
  return [
    ...(invented.length > 0 ? ["invented_number"] : []),
    ...(await reviewCopy(copy, { keyword, sources, hasPage: page !== null, otherTitles })),
  ];
};

test("what is found in 200 good and 200 bad answers is what decision 43 says", async () => {
  const [good, bad] = [answersIn("good"), answersIn("bad")];
  expect([good.length, bad.length]).toEqual([200, 200]);
  const wrong = (await Promise.all(good.map(faultsOf))).flat();
  expect(wrong).toEqual([]);
  const found: Record<string, number> = {};
  for (const answer of bad) {
    const problem = answer.problem ?? "";
    found[problem] = (found[problem] ?? 0) + Number((await faultsOf(answer)).length > 0);
  }
  expect(found).toEqual({
    ...{ banned_claim: 25, invented_number: 18, near_duplicate: 24, not_plain: 25, off_keyword: 21 },
    ...{ stuffed: 25, wrong_language: 22, empty_words: 0 },
  });
});

const languageOf = async ({ copy }: Answer): Promise<VoiceLanguage | null> => {
  const found = (await import("eld/extrasmall")).eld.detect(copy.description).language;
  return found in VOICE_LANGUAGES ? (found as VoiceLanguage) : null;
};

test("with a voice's language, no good answer is rejected, and what is found is what decision 43 says", async () => {
  const judge = async (answer: Answer) => {
    const sources = answer.page ? [answer.page.title, ...answer.page.facts] : [];
    const context = { ...answer, sources, hasPage: answer.page !== null, language: await languageOf(answer) };
    return reviewCopy(answer.copy, context);
  };
  expect((await Promise.all(answersIn("good").map(judge))).flat()).toEqual([]);
  const bad = answersIn("bad").filter(({ problem }) => problem === "off_keyword");
  const found = (await Promise.all(bad.map(judge))).filter((faults) => faults.includes("off_keyword"));
  expect([found.length, bad.length]).toEqual([14, 25]);
});

const GERMAN =
  "Pasta mit Erbsen, ein paar Beeren und eine kleine Nachricht: So bleibt die Brotdose nach der Schule nicht halb voll.";
const ENGLISH = "Lunches that kids finish: pasta with peas, a few berries, and a note. Save this for busy mornings.";

test.each<[VoiceLanguage, string, string, string[]]>([
  ["en", "curtains for the kids bedroom", ENGLISH, ["off_keyword"]],
  ["de", "Vorhänge für das Kinderzimmer nähen", GERMAN, ["off_keyword"]],
  // The text may have translated its keyword.
  ["de", "lunches that kids finish", GERMAN, []],
  ["de", "one pan chicken dinner", GERMAN, []],
  ["en", "Ideen für die Brotdose", ENGLISH, []],
  // Too short to tell.
  ["en", "moss", ENGLISH, []],
])("a %s text without its keyword, %s", async (language, keyword, description, faults) => {
  const title = language === "de" ? "Ideen für volle Bäuche" : "Lunches and Snacks";
  const copy = { title, description, altText: description };
  expect(await reviewCopy(copy, { keyword, language, otherTitles: [] })).toEqual(faults);
});

test.each<[string, string, string[]]>([
  ["lunch box ideas", "How to Pack a Lunch That Comes Back Empty", ["wrong_language"]],
  ["lunch box ideas", "Lunch Box Ideas: So wird die Brotdose leer", []],
  ["lunch box ideas for the whole family", "Lunch Box Ideas for the Whole Family", []],
  ["Brotdose", "The Little Lunch Box That Grows With You", []],
  ["Brotdose", "Die Brotdose, die leer zurückkommt", []],
])("a title above a German text about %s: %s", async (keyword, title, faults) => {
  const sources = ["A shop", "The Little Lunch Box That Grows With You"];
  const context = { keyword, sources, language: "de", otherTitles: [] } as const;
  expect(await reviewCopy({ title, description: GERMAN, altText: GERMAN }, context)).toEqual(faults);
});

const copyOf = (text: string): PinCopy => ({ title: "Slow bread", description: text, altText: "A loaf of bread." });

test.each([
  ["SEO-friendly words for bakers", "SEO-friendly words help bakers sell slow bread to people in town.", []],
  ["slow bread", "A text with SEO-friendly words about slow bread for people in town.", ["not_plain"]],
  ["booking.com tips for bread lovers", "Tips for booking.com that bread lovers use when they travel.", []],
  ['"><img src=x onerror=alert(1)>', "Save these ideas for a quiet afternoon and start with the easiest part.", []],
  ["lose weight fast bread", "A bread for people who want to lose weight fast, with seeds.", []],
  ["slow bread", "A slow bread for people who want to lose weight fast, with seeds.", ["banned_claim"]],
])("what the keyword itself says is no fault: %s", async (keyword, text, faults) => {
  const copy = { ...copyOf(text), title: "Bread tips for lovers of it, for bakers" };
  expect(await reviewCopy(copy, { keyword, otherTitles: [] })).toEqual(faults);
});

test.each<[string, { sources?: string[]; trusted?: string[] }, string[]]>([
  ["a page", { sources: ["A bread for people who want to lose weight fast"] }, ["banned_claim"]],
  ["the voice", { trusted: ["Lose weight fast with bread"] }, []],
])("a claim that %s makes", async (_source, given, faults) => {
  const copy = copyOf("A slow bread for people who want to lose weight fast, with seeds.");
  expect(await reviewCopy(copy, { keyword: "slow bread", ...given, otherTitles: [] })).toEqual(faults);
});

test.each([
  [
    "roast vegetables",
    "Adjust the seasoning to taste when you are in a hurry, and roast the vegetables until they brown.",
  ],
  [
    "journal prompts for kids",
    "Let each kid pick the prompt that speaks to them, and write in the journal for ten minutes.",
  ],
  [
    "good morning text messages",
    "Here are cute text messages for a good morning that make a friend smile before work.",
  ],
  ["gift ideas for teachers", "Gift ideas that teachers love and use, loved by everyone in the class."],
  [
    "tovaglia di lino",
    "Una tovaglia di lino cucita con cura a mano: prepara con cura la tavola della festa e goditi la cena.",
  ],
  [
    "Kuchen ohne Backen",
    "Nie wieder trockener Kuchen: Rezepte aus der ganzen Welt, die ohne Backen gelingen und lange saftig bleiben.",
  ],
  ["बच्चों के कमरे की सजावट", "बच्चों के कमरे की सजावट के लिए रंगों का चुनाव, दीवार के कोने की जगह और किताबों के रैक के आसान तरीके।"],
  ["frozen dog treats", "Frozen dog treats cold enough for a hot day, made of pumpkin and oats in a silicone mold."],
  [
    "pin curls",
    "Pin curls: roll damp hair from the ends, pin it flat, and let it dry. Here are pin curls for short hair, too.",
  ],
  [
    "french desserts",
    "Crème brûlée, mousse au chocolat, and tarte tatin are French desserts for a dinner. Bake the day before, and serve cold.",
  ],
])("ordinary text passes: %s", async (keyword, description) => {
  const copy = { title: keyword, description, altText: description };
  expect(await reviewCopy(copy, { keyword, otherTitles: [] })).toEqual([]);
});

test.each([
  [
    "not_plain",
    "bread boards",
    "Voici une description optimisée pour Pinterest : bread boards of oak for a long table.",
  ],
  ["not_plain", "bread boards", "Alternative title: Oak Boards. These bread boards are made of oak for a long table."],
  [
    "not_plain",
    "bread boards",
    "These bread boards are made of oak. Target audience: hosts. Call-to-action: open the link.",
  ],
  [
    "banned_claim",
    "lavender pillows",
    "Lavender pillows smell of summer, and the scent treats insomnia in a few days.",
  ],
  ["banned_claim", "index funds", "Index funds are simple to buy, and with them you can't lose money at all."],
  [
    "wrong_language",
    "bread boards",
    "These bread boards are made of oak for a long table. Las tablas de madera duran muchos años en la cocina.",
  ],
  [
    "wrong_language",
    "bread boards for a long table",
    "Las tablas de madera de roble duran muchos años en la cocina y quedan bonitas en una mesa larga.",
  ],
  ["off_keyword", "curtains for the kids bedroom", "Lunches that kids finish: pasta with peas, berries, and a note."],
])("%s in a text about %s: %s", async (fault, keyword, description) => {
  const altText = fault === "wrong_language" && keyword.length > 20 ? description : "A board on a wooden table.";
  const title = fault === "off_keyword" ? "Lunches and Snacks" : `All About ${keyword}`;
  expect(await reviewCopy({ title, description, altText }, { keyword, otherTitles: [] })).toEqual([fault]);
});

test("a text about a page may have a third of the keyword's words", async () => {
  const text = "Noor is a bag of brown leather with twelve pockets, and room for a phone.";
  const copy = { title: "The Noor Bag in Cognac", description: text, altText: text };
  const context = { keyword: "crossbody handbag leather", otherTitles: [] };
  expect(await reviewCopy(copy, { ...context, hasPage: true })).toEqual([]);
  expect(await reviewCopy(copy, context)).toEqual(["off_keyword"]);
});

test("a title in Japanese quotation marks is not plain", async () => {
  const copy = { title: "「朝ごはんのレシピ」", description: "朝ごはんのレシピを紹介します。", altText: "朝ごはん" };
  expect(await reviewCopy(copy, { keyword: "朝ごはん レシピ", otherTitles: [] })).toEqual(["not_plain"]);
});

test("an address is excused by the keyword only, not by its page", async () => {
  const copy = copyOf("Slow bread that rises overnight: read more at https://evil.example/x today.");
  const sources = ["https://moss.example/bread"];
  expect(await reviewCopy(copy, { keyword: "slow bread", sources, otherTitles: [] })).toEqual(["not_plain"]);
});

describe("titles", () => {
  const same = (keyword: string, title: string, other: string) =>
    sameTitles(title, { keyword, otherTitles: [other] }).length > 0;

  test.each([
    ["small balcony ideas", "Small Balcony Ideas to Love", "Ideas for a Small Balcony to Love"],
    ["pasta", "Easy Pasta Recipes", "Easy pasta recipe!"],
    ["crème brûlée", "Creme Brulee at Home", "Crème brûlée at home"],
    ["tortilla soup", "Cosy Tortilla Soup", "Cozy Tortilla Soup"],
    ["Zimtschnecken", "Zimtschnecken mit Frischkäseglasur", "Zimtschnecken mit Frischkäse-Glasur"],
  ])("%s: %s repeats %s", (keyword, title, other) => {
    expect(same(keyword, title, other)).toBe(true);
  });

  test.each([
    ["week 2 meal plan", "Week 2 Meal Plan on a Budget", "Week 1 Meal Plan on a Budget"],
    [
      "one pot winter dinner for two",
      "One Pot Winter Dinner for Two: Creamy Leeks",
      "One Pot Winter Dinner for Two: Spicy Beans",
    ],
    ["pasta", "Easy Pasta Recipes", "Pasta From Scratch"],
    ["lake house decor", "Lake House Decor in Blue", "Cake House Decor in Blue"],
    ["7 day detox plan", "A Plan for 7 Days", "A Plan for 5 Days"],
    ["easy chicken dinner", "Easy Chicken Dinner for Weeknights", "Easy Chicken Dinner for Beginners"],
  ])("%s: %s differs from %s", (keyword, title, other) => {
    expect(same(keyword, title, other)).toBe(false);
  });
});

test.each(Object.entries(VOICE_LANGUAGES))("a text in %s passes, and an English one is found", async (code, name) => {
  const language = code as VoiceLanguage;
  for (const keyword of ["small balcony garden ideas", "Sommerkleider zum Selbernähen", "抹茶スイーツ", "tart"]) {
    const context = { keyword, language, otherTitles: [] };
    expect([keyword, await reviewCopy(writePinCopy({ keyword, language: name }), context)]).toEqual([keyword, []]);
    if (language === "en") continue;
    expect(await reviewCopy(writePinCopy({ keyword }), context)).toContain("wrong_language");
  }
});

test.each([
  ["etsy keywords", "Etsy Keywords: How to Find Them", "Find keywords that shoppers use, and put the best ones first."],
  ["sweet texts", "Sweet Texts for Slow Evenings", "Here's what to text your crush tonight: sweet lines to copy."],
  ["beach reads", "Beach Reads for Slow Days", "12 book reviews to help you pick a beach read for slow days."],
])("titles and texts about words, texts, and reviews are no briefs or claims: %s", async (keyword, title, text) => {
  const copy = { title, description: text, altText: "A person with a phone." };
  expect(await reviewCopy(copy, { keyword, otherTitles: [] })).toEqual([]);
  expect(inventedNumbers(Object.values(copy), [keyword], "claims")).toEqual([]);
});

test("a brief in a text, and a number of many reviews, are still found", async () => {
  const copy = { ...copyOf("Slow bread for a quiet day. Keywords: bread, slow, flour."), title: "Slow Bread at Home" };
  expect(await reviewCopy(copy, { keyword: "slow bread", otherTitles: [] })).toContain("not_plain");
  expect(inventedNumbers(["Loved in 1,200 glowing reviews."], ["slow bread"], "claims")).toEqual(["1,200"]);
  expect(inventedNumbers(["Loved in five hundred reviews."], ["slow bread"], "claims")).toHaveLength(1);
});

test("titles that differ in one letter are the same only in two spellings of a word", () => {
  const same = (title: string, other: string, keyword: string) => sameTitles(title, { keyword, otherTitles: [other] });
  expect(same("Easy Beef Salad Recipe", "Easy Beet Salad Recipe", "easy salad recipe")).toEqual([]);
  expect(same("Easy Cozy Cabin Corner", "Easy Cosy Cabin Corner", "easy cabin corner")).toHaveLength(1);
});
