import sharp from "sharp";
import { createRandom } from "./random.ts";

// Images on which text is hard to read.

const fromPixels = (
  width: number,
  height: number,
  at: (x: number, y: number) => readonly number[],
): Promise<Buffer> => {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set(at(x, y), (y * width + x) * 3);
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
};

/** Narrow black and white stripes. */
export const stripes = (width: number, height: number): Promise<Buffer> =>
  fromPixels(width, height, (x, y) => ((x + y) % 14 < 7 ? [0, 0, 0] : [255, 255, 255]));

/** Deterministic noise. */
export const noise = (width: number, height: number): Promise<Buffer> => {
  const random = createRandom(7);
  return fromPixels(width, height, () => [random.below(256), random.below(256), random.below(256)]);
};
