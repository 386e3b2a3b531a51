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
    ...(await reviewCopy(copy, { keyword, sources, otherTitles })),
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
    ...{ banned_claim: 21, invented_number: 15, near_duplicate: 22, not_plain: 21, off_keyword: 18 },
    ...{ stuffed: 25, wrong_language: 17, empty_words: 0 },
  });
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
])("ordinary text passes: %s", async (keyword, description) => {
  const copy = { title: keyword, description, altText: description };
  expect(await reviewCopy(copy, { keyword, otherTitles: [] })).toEqual([]);
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
