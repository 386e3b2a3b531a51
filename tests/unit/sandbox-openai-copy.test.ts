import { describe, expect, test } from "vitest";
import { drawableOf, headlineOf } from "#sandbox/openai/copy/headline.ts";
import { readPhrase } from "#sandbox/openai/copy/phrase.ts";
import { readPinRequest } from "#sandbox/openai/copy/pin-request.ts";
import { detectTopic } from "#sandbox/openai/copy/topics/index.ts";
import { captionOf, writePinCopy } from "#sandbox/openai/copy/write-pin-copy.ts";

const KEYWORDS = [
  ...["easy vegan dinner recipes", "small balcony garden", "living room decor ideas", "sourdough bread for beginners"],
  ...["how to prune roses", "why is my sourdough flat", "weekend in Lisbon", "capsule wardrobe for autumn"],
  ...["10 wedding table ideas", "crochet blanket pattern", "morning yoga routine", "monthly budget template"],
  ...["rainy day activities for toddlers", "puppy training tips", "christmas gift wrapping", "natural makeup look"],
  ...["hiking checklist", "watercolour landscape", "pantry organisation", "winter reading list", "diy bookshelf"],
  ...["study tips for exams", "IKEA kitchen hacks", "Halloween party food", "things to do in tokyo"],
  ...["best running shoes", "houseplants for dark rooms", "bullet journal spreads", "boho bedroom", "lemon tart"],
  ...["chocolate chip cookies", "self care sunday", "mid century sideboard", "save money on groceries", "linen shirts"],
  ...["bridal bouquet", "curly hair routine", "air fryer chicken thighs", "front door colours", "summer picnic"],
  ...["dark academia", "raised bed vegetable garden", "10 minute core workout", "baby shower games", "tiny house"],
  ...["gluten free pancakes", "quantum computing", "solo travel", "crème brûlée", "what to wear to a garden wedding"],
];

describe("the words of a pin", () => {
  test("R-SRV-10 fifty keywords get fifty titles and fifty descriptions, all within the limits", () => {
    expect(new Set(KEYWORDS).size).toBe(50);
    const pins = KEYWORDS.map((keyword) => writePinCopy(readPinRequest(JSON.stringify({ keyword }))));
    expect(new Set(pins.map(({ title }) => title)).size).toBe(50);
    expect(new Set(pins.map(({ description }) => description)).size).toBe(50);
    for (const { title, description, altText } of pins) {
      expect(title.length).toBeLessThanOrEqual(100);
      expect(title.length).toBeGreaterThan(15);
      expect(description.length).toBeLessThanOrEqual(800);
      expect(description.length).toBeGreaterThan(350);
      expect(altText.length).toBeLessThanOrEqual(500);
      expect(`${title} ${description} ${altText}`).not.toMatch(/!|\p{Extended_Pictographic}|\{|\}|undefined| {2}/u);
    }
  });

  test("R-SRV-10 no first or last sentence is worn out by fifty keywords", () => {
    const firsts = KEYWORDS.map((keyword) => writePinCopy({ keyword }).description.split(". ")[0]);
    expect(new Set(firsts).size).toBe(50);
  });

  test("R-SRV-10 the same request gets the same words", () => {
    const request = { keyword: "small balcony garden", host: "example.org" };
    expect(writePinCopy(request)).toEqual(writePinCopy(request));
    expect(writePinCopy(request).description).toContain("example.org");
  });

  test.each([
    "x".repeat(4_000),
    `${"very ".repeat(200)}long garden`,
    "🌿🌿",
    "日本の庭",
    "<script>alert(1)</script>",
    "!!!",
    '"',
  ])("R-SRV-10 odd keyword %#: still within the limits", (keyword) => {
    const pin = writePinCopy(readPinRequest(JSON.stringify({ keyword })));
    expect(pin.title.length).toBeLessThanOrEqual(100);
    expect(pin.description.length).toBeLessThanOrEqual(800);
    expect(pin.altText.length).toBeLessThanOrEqual(500);
    expect(pin.title).not.toMatch(/[<>!]/);
  });
});

describe("reading a keyword", () => {
  test.each([
    ["small balcony garden ideas", "a small balcony garden"],
    ["vegan dinner recipes", "vegan dinner recipes"],
    ["Party Food Ideas For Kids", "party food for kids"],
    ["knitting for beginners", "knitting for beginners"],
    ["outfit ideas", "an outfit"],
    ["10 minute core workout", "a 10 minute core workout"],
    ["IKEA hacks", "IKEA"],
    ["weekend in lisbon", "a weekend in Lisbon"],
  ])("R-SRV-10 '%s' stands in a sentence as '%s'", (keyword, expected) => {
    expect(readPhrase(keyword)).toMatchObject({ shape: "noun", nounPhrase: expected });
  });

  test("R-SRV-10 instructions and questions are told from things", () => {
    expect(readPhrase("how to style my hair")).toMatchObject({ shape: "how-to", verbPhrase: "style your hair" });
    expect(readPhrase("why is bread flat?")).toEqual({ shape: "question", title: "Why is bread flat" });
  });

  test("R-SRV-10 the keyword is found in JSON, in JSON inside prose, in quotes, and as plain text", () => {
    const json = JSON.stringify({ keyword: "oak {table}", address: "https://www.example.org/x" });
    expect(readPinRequest(json)).toEqual({ keyword: "oak table", host: "example.org" });
    expect(readPinRequest(`Draw {this}:\n${json}\nand nothing else`).keyword).toBe("oak table");
    expect(readPinRequest('A pin for the keyword "oak table" please').keyword).toBe("oak table");
    expect(readPinRequest("oak table\n").keyword).toBe("oak table");
    expect(readPinRequest(JSON.stringify({ keyword: "oak", address: "not an address" }))).toEqual({ keyword: "oak" });
  });

  test.each([
    ["Halloween party food", "seasonal"],
    ["garden wedding table", "weddings"],
    ["crème brûlée", "food"],
    ["puppy training", "pets"],
    ["quantum computing", "general"],
  ])("R-SRV-10 '%s' belongs to %s", (keyword, topic) => {
    expect(detectTopic(keyword).name).toBe(topic);
  });
});

describe("the headline of a poster", () => {
  test("R-SRV-10 it has one or two lines of a readable length", () => {
    for (const keyword of [...KEYWORDS, "supercalifragilisticexpialidocious antidisestablishmentarianism"]) {
      const lines = headlineOf(keyword);
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(24);
    }
    expect(headlineOf("sourdough bread for beginners")).toEqual(["Sourdough bread", "for beginners"]);
  });

  test("R-SRV-10 characters that the fonts lack are left out, and never leave an empty headline", () => {
    expect(drawableOf("Żurek 🌿 日本 & café")).toBe("Żurek & café");
    expect(headlineOf("日本の庭").join(" ")).toBe("A good idea, kept for later");
    for (const keyword of KEYWORDS) expect(drawableOf(captionOf(keyword))).toBe(captionOf(keyword));
  });
});
