import { readFileSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import {
  LIKENESS_LIGHTNESS_BITS,
  likenessDistance,
  NEAR_DUPLICATE_BITS_MAX,
  PLAIN_LIGHTNESS_BITS_MAX,
} from "#lib/core/images.ts";
import { createImages } from "#lib/integrations/images/client.ts";

const images = createImages();

/** Posters of the public pages, at the size of a pin. */
const POSTERS = ["bread", "lisbon", "night", "figs", "ridge", "pasta", "quilt", "meadow"];
const poster = (name: string): Promise<Buffer> =>
  sharp(readFileSync(new URL(`../../public/posters/${name}.svg`, import.meta.url)))
    .resize(1080, 1680)
    .jpeg({ quality: 84 })
    .toBuffer();

const samples = await Promise.all(POSTERS.map(poster));

const words = Buffer.from(
  `<svg width="1080" height="1680"><g fill="#ffffff" font-family="sans-serif" font-size="110" text-anchor="middle"><text x="540" y="780">Slow mornings</text><text x="540" y="910">at home</text></g></svg>`,
);

const VERSIONS: { name: string; of: (jpeg: Buffer) => Promise<Buffer> }[] = [
  { name: "encoded again, badly", of: (jpeg) => sharp(jpeg).jpeg({ quality: 30 }).toBuffer() },
  { name: "encoded as WebP", of: (jpeg) => sharp(jpeg).webp({ quality: 50 }).toBuffer() },
  { name: "in small", of: (jpeg) => sharp(jpeg).resize(236).jpeg().toBuffer() },
  { name: "on the other canvas", of: (jpeg) => sharp(jpeg).resize(1000, 1500).jpeg().toBuffer() },
  { name: "a little brighter", of: (jpeg) => sharp(jpeg).modulate({ brightness: 1.1 }).jpeg().toBuffer() },
  { name: "a little darker", of: (jpeg) => sharp(jpeg).modulate({ brightness: 0.9 }).jpeg().toBuffer() },
  { name: "a little softer", of: (jpeg) => sharp(jpeg).blur(3).jpeg().toBuffer() },
  {
    name: "with text on it",
    of: (jpeg) =>
      sharp(jpeg)
        .composite([{ input: words }])
        .jpeg()
        .toBuffer(),
  },
];

const likenessOf = async (image: Buffer) => (await images.describeJpeg(image)).likeness;

describe("likeness", () => {
  test.each(VERSIONS)("R-SCH-01 the same image $name is near", async ({ of }) => {
    for (const jpeg of samples) {
      const distance = likenessDistance(await likenessOf(jpeg), await likenessOf(await of(jpeg)));
      expect(distance).toBeLessThanOrEqual(NEAR_DUPLICATE_BITS_MAX);
    }
  });

  test("R-SCH-01 other images are far, and so is a mirrored one", async () => {
    const all = await Promise.all(samples.map(likenessOf));
    const pairs = all.flatMap((one, n) => all.slice(n + 1).map((other) => likenessDistance(one, other)));
    expect(Math.min(...pairs)).toBeGreaterThan(NEAR_DUPLICATE_BITS_MAX);
    for (const [n, jpeg] of samples.entries()) {
      const mirrored = await likenessOf(await sharp(jpeg).flop().jpeg().toBuffer());
      expect(likenessDistance(all[n] ?? "", mirrored)).toBeGreaterThan(NEAR_DUPLICATE_BITS_MAX);
    }
  });

  test("R-SCH-01 plain images of clearly different colors are far, the same one re-encoded is not", async () => {
    const plain = (background: string, quality = 84) =>
      sharp({ create: { width: 400, height: 600, channels: 3, background } })
        .jpeg({ quality })
        .toBuffer();
    const red = await likenessOf(await plain("#c0392b"));
    expect(likenessDistance(red, await likenessOf(await plain("#c0392b", 40)))).toBe(0);
    expect(likenessDistance(red, await likenessOf(await plain("#2a5f9e")))).toBeGreaterThan(NEAR_DUPLICATE_BITS_MAX);
  });

  test("R-SCH-01 plain images and even gradients have few bits of light and dark, posters have many", async () => {
    const waves = (likeness: string) =>
      BigInt(`0x${likeness}`).toString(2).padStart(64, "0").slice(0, LIKENESS_LIGHTNESS_BITS).replaceAll("0", "")
        .length;
    const gradient = ([x, y, from, to]: readonly [number, number, string, string]) =>
      `<linearGradient id="g" x2="${x}" y2="${y}"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
    const fills = [
      [1, 0, "#fff", "#000"],
      [1, 0, "#000", "#fff"],
      [0, 1, "#d9c3a0", "#b08d57"],
      [0, 1, "#c0392b", "#c0392b"],
    ] as const;
    for (const fill of fills) {
      const svg = `<svg width="400" height="600">${gradient(fill)}<rect width="400" height="600" fill="url(#g)"/></svg>`;
      const likeness = await likenessOf(await sharp(Buffer.from(svg)).jpeg({ quality: 84 }).toBuffer());
      expect(waves(likeness), fill.join(" ")).toBeLessThanOrEqual(PLAIN_LIGHTNESS_BITS_MAX);
    }
    for (const jpeg of samples) expect(waves(await likenessOf(jpeg))).toBeGreaterThan(3 * PLAIN_LIGHTNESS_BITS_MAX);
  });

  test("R-SCH-01 the same bytes have the same 16 digits", async () => {
    const [jpeg] = samples;
    const [once, again] = [await likenessOf(jpeg ?? Buffer.alloc(0)), await likenessOf(jpeg ?? Buffer.alloc(0))];
    expect(once).toMatch(/^[0-9a-f]{16}$/);
    expect(again).toBe(once);
  });
});

describe("placeholder", () => {
  const noise = (width: number, height: number) =>
    sharp({
      create: { width, height, channels: 3, background: "#000", noise: { type: "gaussian", mean: 128, sigma: 90 } },
    })
      .jpeg()
      .toBuffer();

  test("R-POST-06 every image has one of at most 200 characters that decodes to its own shape", async () => {
    const shapes = [await noise(1080, 1680), await noise(900, 600), await noise(20, 4_000), await noise(3, 2)];
    for (const image of [...samples, ...shapes]) {
      const { placeholder } = await images.describeJpeg(image);
      expect(placeholder.length).toBeLessThanOrEqual(200);
      const [head, body = ""] = placeholder.split(",");
      expect(head).toBe("data:image/webp;base64");
      const [small, large] = [await sharp(Buffer.from(body, "base64")).metadata(), await sharp(image).metadata()];
      expect(small.width).toBeLessThanOrEqual(large.width);
      expect(Math.sign(small.width - small.height)).toBe(Math.sign(large.width - large.height));
    }
  });

  test("bytes that are not an image are rejected", async () => {
    await expect(images.describeJpeg(Buffer.from("no picture"))).rejects.toThrow(/unsupported|format/i);
  });
});
