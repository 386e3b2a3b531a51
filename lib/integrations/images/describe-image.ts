import "server-only";
import sharp from "sharp";
import { createConcurrencyLimiter } from "#lib/core/concurrency.ts";
import { LIKENESS_LIGHTNESS_BITS } from "#lib/core/images.ts";
import type { ImageDescription } from "./port.ts";

/** Images are reduced to a square of this size, so that a frame or crop changes little. */
const SIDE = 32;
/** Only the lowest frequencies in each direction count. */
const FREQUENCIES = 8;
/** Weaker coefficients are encoding noise. */
const COEFFICIENT_MIN = 0.2;
/** Thresholds for the mean of each color difference; a slightly warmer image changes at most one bit. */
const TINTS = [-30, -18, -6, 6, 18, 30] as const;

const PLACEHOLDER_MAX = 200;
/** From the most detailed to one that always fits. */
const PLACEHOLDERS = [
  { sidePx: 16, quality: 40 },
  { sidePx: 14, quality: 25 },
  { sidePx: 12, quality: 15 },
  { sidePx: 9, quality: 8 },
  { sidePx: 4, quality: 1 },
] as const;

const sumOver = (length: number, term: (index: number) => number): number => {
  let sum = 0;
  for (let index = 0; index < length; index++) sum += term(index);
  return sum;
};

const COSINES = Array.from({ length: FREQUENCIES }, (_, wave) =>
  Array.from({ length: SIDE }, (_, x) => Math.cos(((2 * x + 1) * wave * Math.PI) / (2 * SIDE))),
);

/** Lowest frequencies first, without the constant term, which is brightness. */
const LOWEST_FREQUENCIES = Array.from({ length: FREQUENCIES * FREQUENCIES }, (_, n) => ({
  across: n % FREQUENCIES,
  down: Math.floor(n / FREQUENCIES),
}))
  .filter(({ across, down }) => across + down > 0)
  .toSorted((a, b) => a.across + a.down - (b.across + b.down) || a.across - b.across)
  .slice(0, LIKENESS_LIGHTNESS_BITS);

const frequencyBits = (light: readonly number[]): boolean[] => {
  const rows = COSINES.map((wave) =>
    Array.from({ length: SIDE }, (_, y) => sumOver(SIDE, (x) => (wave[x] ?? 0) * (light[y * SIDE + x] ?? 0))),
  );
  return LOWEST_FREQUENCIES.map(({ across, down }) => {
    const strength = sumOver(SIDE, (y) => (COSINES[down]?.[y] ?? 0) * (rows[across]?.[y] ?? 0)) / (SIDE * SIDE);
    return strength > COEFFICIENT_MIN;
  });
};

const mean = (values: readonly number[]): number => sumOver(values.length, (n) => values[n] ?? 0) / values.length;

const likenessOf = async (jpeg: Uint8Array): Promise<string> => {
  const pixels = await sharp(jpeg)
    .resize(SIDE, SIDE, { fit: "fill" })
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer();
  const places = Array.from({ length: SIDE * SIDE }, (_, n) => n * 3);
  const plane = (red: number, green: number, blue: number) =>
    places.map((at) => red * (pixels[at] ?? 0) + green * (pixels[at + 1] ?? 0) + blue * (pixels[at + 2] ?? 0));
  // The planes of JPEG: luma, and the blue and red differences.
  const bits = [
    ...frequencyBits(plane(0.299, 0.587, 0.114)),
    ...[mean(plane(-0.169, -0.331, 0.5)), mean(plane(0.5, -0.419, -0.081))].flatMap((tint) =>
      TINTS.map((threshold) => tint > threshold),
    ),
  ];
  return BigInt(`0b${bits.map(Number).join("")}`)
    .toString(16)
    .padStart(16, "0");
};

const placeholderOf = async (jpeg: Uint8Array): Promise<string> => {
  for (const { sidePx, quality } of PLACEHOLDERS) {
    const webp = await sharp(jpeg)
      .resize(sidePx, sidePx, { fit: "inside", withoutEnlargement: true })
      .webp({ quality, smartSubsample: false })
      .toBuffer();
    const dataUrl = `data:image/webp;base64,${webp.toString("base64")}`;
    if (dataUrl.length <= PLACEHOLDER_MAX) return dataUrl;
  }
  throw new Error("Even the smallest placeholder of this image is too large.");
};

const describeLimiter = createConcurrencyLimiter(2);

/** Low DCT frequencies and the tint, so that scaling or text change few bits. @throws Error when it is no image */
export const describeJpeg = (jpeg: Uint8Array): Promise<ImageDescription> =>
  describeLimiter.run(1, async () => ({ likeness: await likenessOf(jpeg), placeholder: await placeholderOf(jpeg) }));
