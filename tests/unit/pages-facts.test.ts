import { describe, expect, test } from "vitest";
import { FACT_LIMITS } from "#lib/features/pages/constants.ts";
import { readPageFacts } from "#lib/features/pages/facts.ts";
import { durationText, summaryOf, takenFrom, toPageWire, unreadText } from "#lib/features/pages/policy.ts";
import { pageFacts } from "#lib/features/pages/schema.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { fc } from "#tests/support/properties.ts";
import { facts, jsonLd, NO_PRODUCT, NO_RECIPE, PAGE_URL } from "#tests/support/web-pages/fixture.ts";
import { GAP_PAGES } from "#tests/support/web-pages/gaps.ts";
import { MARKED_PAGES } from "#tests/support/web-pages/microdata.ts";
import { UNUSABLE_PAGES } from "#tests/support/web-pages/unusable.ts";
import { USABLE_PAGES } from "#tests/support/web-pages/usable.ts";

describe("handwritten pages", () => {
  test.each([...USABLE_PAGES, ...MARKED_PAGES, ...GAP_PAGES])("the facts of $name come back", ({ html, expected }) => {
    expect(readPageFacts(html, PAGE_URL)).toEqual({ kind: "read", facts: expected });
  });

  test.each(UNUSABLE_PAGES)("$name can't be used", ({ html, expected }) => {
    expect(readPageFacts(html, PAGE_URL)).toEqual({ kind: expected });
  });

  test("a few broken characters don't make a page unusable", () => {
    const content = readPageFacts(`<p>${"Ferns like shade. ".repeat(100)} Caf\ufffd, br\ufffdl\ufffde.</p>`, PAGE_URL);
    expect(content.kind).toBe("read");
  });

  test("a shop's page with a hidden sign-in form, or the words of a check, is a page", () => {
    const text = `<p>${"A pot for ferns, made by hand. ".repeat(20)} Wait just a moment for the glaze.</p>`;
    expect(readPageFacts(`${text}<input type="password">`, PAGE_URL).kind).toBe("read");
  });

  test.each([
    ["is about checks", `<title>Home security check list</title><p>${"Look at each window and door. ".repeat(10)}</p>`],
    [
      "needs scripts for a button",
      `<p>A mug with ferns, thrown by hand and glazed twice, for coffee and tea.</p><b>Please enable JavaScript to add
      this to your cart</b>`,
    ],
    ["is about scripts", `<p>${"Enable JavaScript modules in your build, step by step. ".repeat(10)}</p>`],
    [
      "is about cookies",
      `<div class="cookies tag-cookie-bars tag-cookie-bar"><p>${"Bake the cookies until they brown. ".repeat(5)}</p></div>`,
    ],
    ["has many accents", `<p>${"Élève zélé, âme dénuée d'à-côtés, forêt d'été à Évêché. ".repeat(5)}</p>`],
  ])("a page that %s is a page", (_what, html) => {
    expect(readPageFacts(html, PAGE_URL).kind).toBe("read");
  });

  const words = (text: string) => `<p>${`${text}. `.repeat(10)}</p>`;

  test.each([
    'id="page" class="site cookie-notice-visible"',
    'class="has-cookie-banner"',
    'class="didomi-ready"',
    'class="post tag-cookie-law"',
    'class="product_tag-cookie-popup"',
  ])("the state or tag of an element around a page doesn't hide it: %s", (attributes) => {
    const html = `<div ${attributes}>${words("Ferns like shade")}</div>`;
    expect(readPageFacts(html, PAGE_URL)).toMatchObject({
      kind: "read",
      facts: { text: expect.stringContaining("Ferns") },
    });
  });

  test.each(["main", "article", "h1"])("an element named after consent that contains %s is shown from there", (tag) => {
    const html = `<div class="cookie-notice"><b>We use cookies</b><${tag}>Ferns</${tag}>${words("They like shade")}</div>
      <div id="cookie-notice">${words("We use cookies")}</div><div class="moss cookie-banner__text">Our cookies</div>`;
    const content = readPageFacts(html, PAGE_URL);
    expect(content).toMatchObject({
      kind: "read",
      facts: { text: expect.stringMatching(/^Ferns (They like shade. ?)+$/) },
    });
  });

  test("an image that isn't loaded before it is seen counts, and not the drawing in its place", () => {
    const image = (attributes: string) => `<img src="data:image/gif;base64,R0lG" ${attributes}>`;
    const sources = [
      'data-src="/a.jpg"',
      'data-lazy-src="/b.jpg"',
      'data-srcset="/c.jpg 300w, /d.jpg 600w"',
      'data-src="" data-lazy-src="data:image/png;base64,iVBO" srcset="data:image/gif;base64,R0lG 1w" data-srcset="/e.jpg"',
      "",
    ];
    const sets = ["/w_300,h_200/f.jpg 300w, /g.jpg 600w", "/f_auto,q_auto/h.jpg,  /i.jpg 2x", " ,/j.jpg 1x"];
    const html = `<p>${"Ferns like shade. ".repeat(10)}</p>${sources.map(image).join("")}${sets
      .map((set) => `<img srcset="${set}">`)
      .join("")}`;
    const content = readPageFacts(html, PAGE_URL);
    const paths = ["/a.jpg", "/b.jpg", "/c.jpg", "/e.jpg", "/w_300,h_200/f.jpg", "/f_auto,q_auto/h.jpg", "/j.jpg"];
    const images = paths.map((path) => new URL(path, PAGE_URL).href);
    expect(content).toMatchObject({ kind: "read", facts: { images } });
  });

  test("a long page with a password field is a page", () => {
    const html = `<p>${"A story about ferns. ".repeat(100)}</p><input type="password">`;
    expect(readPageFacts(html, PAGE_URL).kind).toBe("read");
  });
});

describe("bounds", () => {
  const read = (html: string) => {
    const content = readPageFacts(html, PAGE_URL);
    if (content.kind !== "read") throw new Error(content.kind);
    return content.facts;
  };

  test("a language is a short code", () => {
    const text = `<p>${"Ferns like shade. ".repeat(10)}</p>`;
    expect(read(`<html lang="pt-BR">${text}`).language).toBe("pt-BR");
    expect(read(`<html lang="en${"-a".repeat(100_000)}">${text}`).language).toBeNull();
  });

  test("indentation doesn't use up the text's limit, so what comes after it is read whole", () => {
    const indent = `<div>${"\n\t\t\t".repeat(6_000)}</div>`;
    expect(read(`${indent}<p>A fern for 1299 dollars. ${"Ferns like shade. ".repeat(10)}</p>`).text).toContain("1299");
  });

  test.each([
    ["a page's text", "<div></div>", (html: string) => read(html).text],
    ["its main text", "<div> </div>\n", (html: string) => read(`<main>${html}</main>`).text],
    ["a heading", "<br>", (html: string) => read(`<h1>${html}</h1>`).headings.join()],
    [
      "the text of an item",
      "<br> ",
      (html: string) =>
        read(`<div itemscope itemtype="https://schema.org/HowTo"><b itemprop="name">${html}</b></div>`).howTo?.name,
    ],
  ])("empty elements don't use up the limit of %s", (_what, empty, textOf) => {
    expect(textOf(`${empty.repeat(21_000)}A fern for 1299 dollars. ${"Ferns like shade. ".repeat(10)}`)).toContain(
      "1299",
    );
  });

  test("a canonical URL has no query, since it may repeat a secret", () => {
    const html = `<link rel="canonical" href="/ferns?token=abc"><p>${"Ferns like shade. ".repeat(10)}</p>`;
    expect(read(html).canonicalUrl).toBe(new URL("/ferns", PAGE_URL).href);
  });

  test("texts end after a word, and never within a number", () => {
    const { text } = read(`<p>${"costs 1,299.00 ".repeat(1_000)}</p>`);
    expect(text.length).toBeLessThanOrEqual(FACT_LIMITS.text);
    expect(text).toMatch(/^(costs 1,299\.00 )+costs( 1,299\.00)?$/);
    const dense = read(`<p>${"春の庭1234".repeat(1_000)}</p>`).text;
    expect(dense.replaceAll("春の庭1234", "")).toMatch(/^(春の?庭?)?$/);
  });

  test("lists have a bounded number of items", () => {
    const recipeIngredient = Array.from({ length: 500 }, (_, n) => `${n} eggs`);
    const { recipe } = read(jsonLd({ "@type": "Recipe", recipeIngredient }));
    expect(recipe?.ingredients).toHaveLength(FACT_LIMITS.ingredients);
  });

  const longType = (number: number) => `${"a ".repeat(240)}t${number}`;
  const manyTypes = [
    ...Array.from({ length: 240 }, (_, n) => `<div itemscope itemtype="${longType(n)}">`),
    ...Array.from({ length: 2_700 }, (_, n) => `<b itemscope itemtype="${longType(240 + n)}"></b>`),
  ].join("");

  test.each([
    ["unclosed elements", "<div>".repeat(400_000)],
    ["closing tags without an element", `${"<x>".repeat(200)}${"</y>".repeat(400_000)}`],
    ["attributes", `<div ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(" ")}>`],
    ["open quotes", '<div a="'.repeat(100_000)],
    ["commas in a set of images", `<img srcset="a${",".repeat(1_000_000)}b">`],
    ["nested data", `<script type="application/ld+json">${"[".repeat(200_000)}${"]".repeat(200_000)}</script>`],
    ["spaces in data", `<script type="application/ld+json">${" ".repeat(400_000)};x</script>`],
    ["headings", "<h1>x</h1>".repeat(100_000)],
    ["digits", "1".repeat(2_000_000)],
    ["nested items", '<p itemscope itemtype="a"><b itemprop="x">y'.repeat(40_000)],
    ["items side by side", '<p itemscope itemtype="Product"><b itemprop="name">y</b></p>'.repeat(30_000)],
    ["items of many long types", manyTypes],
    ["properties within properties", `<p itemscope>${'<b itemprop="a b c">'.repeat(200)}${"word ".repeat(300_000)}`],
  ])("a page of %s takes less than a few seconds", (_what, html) => {
    expect(cpuMsOf(() => readPageFacts(html, PAGE_URL)).cpuMs).toBeLessThan(10_000);
  });
});

describe("any input", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ..."<div> </div> <p> <script> </script> <!-- --> <title> </title> <h1> </main> <a href=\" ' > & &#0; ".split(" "),
    ),
    fc.constantFrom(
      '<script type="application/ld+json">',
      '{"@type":"Product","offers":[',
      '<meta property="og:title" content="',
      '<p itemscope itemtype="https://schema.org/Recipe" itemprop="offers">',
      '<b itemprop="name recipeInstructions constructor __proto__">',
    ),
    fc.constantFrom("\u0000", "\ud800", "\u202e", "\u00a0", "１２３"),
    fc.string({ maxLength: 20 }),
  );

  test("gives facts that fit their schema and PostgreSQL, or a reason; it never throws", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const content = readPageFacts(pieces.join(""), PAGE_URL);
        if (content.kind !== "read") return;
        expect(pageFacts.parse(content.facts)).toEqual(content.facts);
        const stored = JSON.stringify(content.facts);
        expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
      { numRuns: 500 },
    );
  });

  test("data of any shape is read without an error", () => {
    const type = fc.constantFrom("Recipe", "Product", "Article", "HowTo", "ProductGroup");
    const names = [
      "name",
      "offers",
      "recipeIngredient",
      "recipeInstructions",
      "step",
      "author",
      "totalTime",
      "image",
      "@graph",
    ];
    const data = fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 6 });
    fc.assert(
      fc.property(type, data, (name, fields) => {
        const content = readPageFacts(jsonLd({ ...fields, "@type": name }).replaceAll("</", "<\\/"), PAGE_URL);
        if (content.kind === "read") expect(pageFacts.safeParse(content.facts).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what people see", () => {
  test("the most telling facts come first, in words", () => {
    const said = facts({
      title: "Fern mug",
      canonicalUrl: "https://moss.example/fern-mug",
      description: "x".repeat(300),
      product: { ...NO_PRODUCT, name: "Fern mug", price: "19.00", highPrice: "24.5", currency: "EUR" },
      recipe: { ...NO_RECIPE, name: "Tart", ingredients: ["a", "b"], steps: ["c"], totalMinutes: 90 },
    });
    expect(takenFrom(said)).toEqual([
      { label: "Title", value: "Fern mug" },
      { label: "Product", value: "Fern mug, 19.00 to 24.5 EUR" },
      { label: "Recipe", value: "Tart" },
      { label: "Ingredients", value: "2: a; b" },
      { label: "Total time", value: "1 h 30 min" },
      { label: "Steps", value: "1: c" },
      { label: "Page URL", value: "https://moss.example/fern-mug" },
      { label: "Description", value: `${"x".repeat(160)}…` },
    ]);
    const long = facts({
      recipe: { ...NO_RECIPE, ingredients: Array.from({ length: 200 }, (_, n) => `${n} g flour`) },
    });
    expect(takenFrom(long)).toContainEqual({
      label: "Ingredients",
      value: expect.stringMatching(/^200: 0 g.{390,}…$/),
    });
    expect([0, 59, 60, 61].map(durationText)).toEqual(["0 min", "59 min", "1 h", "1 h 1 min"]);
  });

  test("a page that was not used says why, whatever the reason", () => {
    const say = (reason: string, status: number | null = null) => unreadText({ reason, status });
    expect(say("status", 401)).toBe("The page asks visitors to sign in.");
    expect(say("status", 403)).toBe("The site refused to show us the page (403).");
    expect(say("status", 404)).toBe("The page doesn't exist (404).");
    expect(say("status", 503)).toBe("The site returned an error (503).");
    expect(say("refused")).toBe("The URL isn't public.");
    expect(say("a newer release's reason")).toBe("We couldn't read the page.");
    expect(toPageWire(summaryOf({ kind: "unread", reason: "no_text", status: null }))).toEqual({
      taken: [],
      problem: "The page's text appears only with JavaScript, so we can't read it.",
    });
  });
});
