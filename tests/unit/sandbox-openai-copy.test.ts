import { describe, expect, test } from "vitest";
import { captionOf, headlineOf, toDrawable, writePinCopy } from "#sandbox/openai/copy.ts";
import { detectTopic, readPinRequest } from "#sandbox/openai/keyword.ts";

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

describe("a pin's texts", () => {
  test("R-SRV-10 fifty keywords get fifty titles and fifty descriptions, all within the limits", () => {
    expect(new Set(KEYWORDS).size).toBe(50);
    const pins = KEYWORDS.map((keyword) => writePinCopy(readPinRequest(JSON.stringify({ keyword }))));
    expect(new Set(pins.map(({ title }) => title)).size).toBe(50);
    expect(new Set(pins.map(({ description }) => description)).size).toBe(50);
    for (const { title, description, altText } of pins) {
      expect(title.length).toBeLessThanOrEqual(100);
      expect(title.length).toBeGreaterThan(15);
      expect(description.length).toBeLessThanOrEqual(800);
      expect(description.length).toBeGreaterThan(300);
      expect(altText.length).toBeLessThanOrEqual(500);
      expect(`${title} ${description} ${altText}`).not.toMatch(/!|\p{Extended_Pictographic}|\{|\}|undefined| {2}/u);
    }
  });

  test("R-SRV-10 the same request gets the same texts; a request for other texts gets other ones", () => {
    const request = { keyword: "small balcony garden", host: "example.org" };
    expect(writePinCopy(request)).toEqual(writePinCopy(request));
    expect(writePinCopy(request).description).toContain("on the site");
    expect(writePinCopy({ ...request, insteadOf: "A title" })).not.toEqual(writePinCopy(request));
  });

  test("R-SRV-10 the description names what is on the page", () => {
    const describe = (page: unknown) =>
      writePinCopy(readPinRequest(JSON.stringify({ keyword: "mugs", page }))).description;
    expect(describe({ title: "Shop", product: { name: "Fern mug", price: "24.50 USD" } })).toContain(
      "Fern mug, for 24.50 USD.",
    );
    expect(describe({ title: "Tart", recipe: { ingredients: ["3 lemons", "flour"] } })).toContain(
      "Tart with 3 lemons, flour.",
    );
    for (const page of [null, [], "x", { product: 7 }]) expect(describe(page)).not.toMatch(/undefined|null|\d/);
  });

  test.each([
    "x".repeat(4_000),
    `${"very ".repeat(200)}long garden`,
    "🌿🌿",
    "日本の庭",
    "<script>alert(1)</script>",
    "!!!",
    '"',
  ])("R-SRV-10 odd keyword %#: texts are within the limits", (keyword) => {
    const pin = writePinCopy(readPinRequest(JSON.stringify({ keyword })));
    expect(pin.title.length).toBeLessThanOrEqual(100);
    expect(pin.description.length).toBeLessThanOrEqual(800);
    expect(pin.altText.length).toBeLessThanOrEqual(500);
    expect(Object.values(pin).join(" ")).not.toMatch(/[<>{}"]/);
  });

  test("R-SRV-10 the keyword is found in JSON, on a line of JSON inside prose, and as plain text", () => {
    const data = JSON.stringify({ keyword: "ridge hikes", address: "https://www.example.com/a" });
    expect(readPinRequest(data)).toEqual({ keyword: "ridge hikes", host: "example.com" });
    expect(readPinRequest(`Make one picture.\n${data}\n\nNo text.`).keyword).toBe("ridge hikes");
    expect(readPinRequest("Ridge walks. With a dog.").keyword).toBe("Ridge walks");
    expect(readPinRequest("").keyword).toBe("good ideas");
  });

  test("R-SRV-10 a keyword belongs to the topic that most of its words match", () => {
    expect(detectTopic("sourdough bread recipes").motifs).toContain("bread");
    expect(detectTopic("garden wedding bouquet").captions).toContain("Flowers first");
    expect(detectTopic("Weekend trips to LISBON").motifs).toContain("water");
    expect(detectTopic("quantum computing").motifs).toEqual([]);
  });
});

describe("the headline of a poster", () => {
  test("R-SRV-10 headlines have one or two lines of a readable length", () => {
    for (const keyword of [...KEYWORDS, "supercalifragilisticexpialidocious antidisestablishmentarianism"]) {
      const lines = headlineOf(keyword);
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(24);
    }
    expect(headlineOf("sourdough bread for beginners")).toEqual(["Sourdough bread", "for beginners"]);
  });

  test("R-SRV-10 characters missing from the fonts are left out, and the headline is never empty", () => {
    expect(toDrawable("Żurek 🌿 日本 & café")).toBe("Żurek & café");
    expect(headlineOf("日本の庭").join(" ")).toBe("A good idea, saved for later");
    for (const keyword of KEYWORDS) expect(toDrawable(captionOf(keyword))).toBe(captionOf(keyword));
  });
});
