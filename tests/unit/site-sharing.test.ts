import { existsSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { articleCard } from "#components/site/articles.ts";
import { PAGE_PATHS, pageCopyOf, SHARE_SIZE, shareCardOf } from "#components/site/page-copy.ts";
import {
  articleThing,
  breadcrumbThing,
  faqThing,
  organizationThing,
  productThing,
  toJsonLd,
} from "#components/site/structured-data.tsx";
import { createImages } from "#lib/integrations/images/client.ts";
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
const images = createImages();
const draw = (card: { headline: string; posters: readonly string[]; label?: string }) =>
  images.drawShareImage({ name: facts.name, ...card, ...SHARE_SIZE });

describe("copy of the public pages", () => {
  test("titles and descriptions are unique and short enough for search results", () => {
    const copies = PAGE_PATHS.map((path) => ({ path, ...pageCopyOf(path, facts.name) }));
    expect(copies.filter(({ title }) => title.length < 4 || title.length > 48)).toEqual([]);
    expect(copies.filter(({ description }) => description.length < 70 || description.length > 160)).toEqual([]);
    expect(new Set(copies.map(({ title }) => title)).size).toBe(copies.length);
    expect(new Set(copies.map(({ description }) => description)).size).toBe(copies.length);
  });

  test("A-01 uses the configured product name", () => {
    const copies = PAGE_PATHS.map((path) => JSON.stringify(pageCopyOf(path, "Tannenstift")));
    expect(copies.filter((text) => /Evertack|\{product\}/i.test(text))).toEqual([]);
    expect(copies.join()).toContain("Tannenstift");
  });

  test("every card has five existing images", () => {
    const cards = [...PAGE_PATHS.map(shareCardOf), articleCard(article)];
    const missing = cards.flatMap(({ posters }) =>
      posters.filter((name) => !existsSync(inRepository("public", "posters", `${name}.svg`))),
    );
    expect(missing).toEqual([]);
    expect(cards.map(({ posters }) => new Set(posters).size)).toEqual(cards.map(() => 5));
  });
});

describe("share images", () => {
  test("every page has its own JPEG of 1200 x 630, and rendering is deterministic", async () => {
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

  test("the headline changes only the pixels above the board", async () => {
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

  test("fits a long title with accents, and rejects one that is too long", async () => {
    const { posters } = shareCardOf("/");
    const long = "Żółte łąki, naïve façades and other things one pins in a year of weeks";
    await expect(draw({ headline: long, posters, label: "Blog" })).resolves.toBeInstanceOf(Uint8Array);
    await expect(draw({ headline: `${long} `.repeat(4), posters })).rejects.toThrow("too long");
  });

  test("icons have the requested size; maskable ones fill their corners", async () => {
    const cornerOf = async (purpose: "any" | "maskable") => {
      const png = await images.drawIcon({ sizePx: 192, purpose });
      const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([192, 192]);
      return data[3];
    };
    expect([await cornerOf("any"), await cornerOf("maskable")]).toEqual([0, 255]);
  });
});

describe("JSON-LD", () => {
  test("no text can end the block or start a tag, and it parses back unchanged", () => {
    const hostile = "</script><script>alert(1)</script><!-- & \u2028\u2029";
    const text = toJsonLd([faqThing([{ question: hostile, answer: hostile }])]);
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    const [faq] = JSON.parse(text)["@graph"];
    expect(faq.mainEntity[0].name).toBe(hostile);
  });

  test("raw HTML is set in one file only", () => {
    const files = readSources().filter(
      ({ path, text }) => /dangerouslySetInnerHTML/.test(text) && !/^tests\//.test(path),
    );
    expect(files.map(({ path }) => path)).toEqual(["components/site/structured-data.tsx"]);
  });

  test("R-GEN-05 the organization has the configured address, phone and email", () => {
    expect(organizationThing(facts)).toMatchObject({
      address: "1 Sample Street, London",
      telephone: facts.supportPhone,
      email: facts.supportEmail,
      contactPoint: { url: "https://pins.example/contact-us" },
    });
  });

  test("an article has breadcrumbs, dates and an image", () => {
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
