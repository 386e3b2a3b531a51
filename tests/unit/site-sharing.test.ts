import { existsSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { articleCard } from "#components/site/articles.ts";
import { PAGE_PATHS, SHARE_SIZE, shareCardOf, wordsOf } from "#components/site/page-words.ts";
import {
  articleThing,
  breadcrumbThing,
  faqThing,
  organizationThing,
  productThing,
  toJsonLd,
} from "#components/site/structured-data.tsx";
import { createPictures } from "#lib/integrations/images/client.ts";
import { inRepository } from "#scripts/root.ts";
import { readSources } from "#tests/support/source/files.ts";

const facts = {
  name: "Evertack",
  appUrl: "https://pins.example",
  supportEmail: "support@example.com",
  supportPhone: "+44 20 7946 0123",
  postalAddress: "1 Sample Street\nLondon",
};
const article = { slug: "pin-sizes", title: "Pin sizes", description: "How large.", publishedAt: "2026-11-20" };
const pictures = createPictures();
const draw = (card: { headline: string; posters: readonly string[]; label?: string }) =>
  pictures.drawShared({ name: facts.name, ...card, ...SHARE_SIZE });

describe("words of the public pages", () => {
  test("every title and description has the length that search engines show whole, and stands once", () => {
    const words = PAGE_PATHS.map((path) => ({ path, ...wordsOf(path, facts.name) }));
    expect(words.filter(({ title }) => title.length < 4 || title.length > 48)).toEqual([]);
    expect(words.filter(({ description }) => description.length < 70 || description.length > 160)).toEqual([]);
    expect(new Set(words.map(({ title }) => title)).size).toBe(words.length);
    expect(new Set(words.map(({ description }) => description)).size).toBe(words.length);
  });

  test("A-01 the product's name comes from its setting alone", () => {
    const words = PAGE_PATHS.map((path) => JSON.stringify(wordsOf(path, "Tannenstift")));
    expect(words.filter((text) => /Evertack|\{product\}/i.test(text))).toEqual([]);
    expect(words.join()).toContain("Tannenstift");
  });

  test("each names five pictures that exist", () => {
    const cards = [...PAGE_PATHS.map(shareCardOf), articleCard(article)];
    const lacking = cards.flatMap(({ posters }) =>
      posters.filter((name) => !existsSync(inRepository("public", "posters", `${name}.svg`))),
    );
    expect(lacking).toEqual([]);
    expect(cards.map(({ posters }) => new Set(posters).size)).toEqual(cards.map(() => 5));
  });
});

describe("the picture of a shared link", () => {
  test("is a JPEG of 1200 x 630 for every page, each another one, the same every time", async () => {
    const drawn = await Promise.all(PAGE_PATHS.map((path) => draw(shareCardOf(path))));
    const sizes = await Promise.all(drawn.map(async (jpeg) => sharp(jpeg).metadata()));
    expect(sizes.map(({ format, width, height }) => [format, width, height])).toEqual(
      PAGE_PATHS.map(() => ["jpeg", 1200, 630]),
    );
    expect(drawn.filter(({ byteLength }) => byteLength > 300_000)).toEqual([]);
    expect(new Set(drawn.map((jpeg) => Buffer.from(jpeg).toString("base64"))).size).toBeGreaterThan(
      PAGE_PATHS.length - 2,
    );
    expect(Buffer.from(await draw(shareCardOf("/"))).equals(Buffer.from(drawn[0] ?? []))).toBe(true);
  });

  test("the words are in it: another headline gives other pixels above the board, the same below", async () => {
    const { posters } = shareCardOf("/");
    const [one, other] = await Promise.all([
      draw({ headline: "A *wall* of pins", posters }),
      draw({ headline: "Another *thing*", posters }),
    ]);
    const part = (jpeg: Uint8Array, top: number, height: number) =>
      sharp(jpeg).extract({ left: 0, top, width: 1200, height }).raw().toBuffer();
    expect((await part(one, 120, 200)).equals(await part(other, 120, 200))).toBe(false);
    expect((await part(one, 360, 270)).equals(await part(other, 360, 270))).toBe(true);
  });

  test("holds a long title with accents, and refuses one that would not fit", async () => {
    const { posters } = shareCardOf("/");
    const long = "Żółte łąki, naïve façades and other things one pins in a year of weeks";
    await expect(draw({ headline: long, posters, label: "Blog" })).resolves.toBeInstanceOf(Uint8Array);
    await expect(draw({ headline: `${long} `.repeat(4), posters })).rejects.toThrow("too long");
  });

  test("icons come in the size that is asked for; a maskable one fills its corners", async () => {
    const cornerOf = async (purpose: "any" | "maskable") => {
      const png = await pictures.drawIcon({ sizePx: 192, purpose });
      const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([192, 192]);
      return data[3];
    };
    expect([await cornerOf("any"), await cornerOf("maskable")]).toEqual([0, 255]);
  });
});

describe("JSON-LD", () => {
  test("QUALITY §2, 20: no text can end the block or begin a tag, and it is the same when read", () => {
    const hostile = "</script><script>alert(1)</script><!-- & \u2028\u2029";
    const text = toJsonLd([faqThing([{ question: hostile, answer: hostile }])]);
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    const [faq] = JSON.parse(text)["@graph"];
    expect(faq.mainEntity[0].name).toBe(hostile);
  });

  test("HTML is set as text in one file, the data block", () => {
    const files = readSources().filter(
      ({ path, text }) => /dangerouslySetInnerHTML/.test(text) && !/^tests\//.test(path),
    );
    expect(files.map(({ path }) => path)).toEqual(["components/site/structured-data.tsx"]);
  });

  test("R-GEN-05 the organization has the address, the phone and the e-mail of the settings", () => {
    expect(organizationThing(facts)).toMatchObject({
      address: "1 Sample Street, London",
      telephone: facts.supportPhone,
      email: facts.supportEmail,
      contactPoint: { url: "https://pins.example/contact-us" },
    });
  });

  test("the way to an article, its dates and its picture", () => {
    const trail = breadcrumbThing(facts, [
      { name: "Blog", path: "/blog" },
      { name: article.title, path: "/blog/pin-sizes" },
    ]);
    expect(trail.itemListElement).toMatchObject([
      { position: 1, item: "https://pins.example/" },
      { position: 2, item: "https://pins.example/blog" },
      { position: 3, item: "https://pins.example/blog/pin-sizes", name: "Pin sizes" },
    ]);
    expect(articleThing(facts, { ...article, updatedAt: "2026-11-21" })).toMatchObject({
      datePublished: "2026-11-20",
      dateModified: "2026-11-21",
      image: "https://pins.example/share/blog/pin-sizes.jpg",
    });
  });

  test("an offer has a price in dollars and a currency", () => {
    const { offers } = productThing(facts, "Pins", [{ name: "Free", priceDollars: 0, description: "Five credits" }]);
    expect(offers).toMatchObject([{ "@type": "Offer", price: 0, priceCurrency: "USD", name: "Free" }]);
  });
});
