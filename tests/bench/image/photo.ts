import sharp from "sharp";

const SIZE = { width: 1024, height: 1536 } as const;
/** Size and strength of spots: the soft shapes, edges and grain of a photo. */
const LAYERS = [
  { spotPx: 512, strength: 90 },
  { spotPx: 128, strength: 40 },
  { spotPx: 32, strength: 20 },
  { spotPx: 8, strength: 10 },
  { spotPx: 3, strength: 5 },
] as const;

const noise = (bytes: number, seed: number): Buffer => {
  let state = seed;
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >> 16) & 255;
    }),
  );
};

const layer = (spotPx: number, seed: number): Promise<Buffer> => {
  const [width, height] = [Math.ceil(SIZE.width / spotPx) + 1, Math.ceil(SIZE.height / spotPx) + 1];
  return sharp(noise(width * height * 3, seed * 7_919 + spotPx), { raw: { width, height, channels: 3 } })
    .resize(SIZE.width, SIZE.height, { fit: "fill", kernel: "cubic" })
    .raw()
    .toBuffer();
};

/** An image like a model's: 1024 x 1536, JPEG, with the detail of a photo. Each seed gives another one. */
export const makePhoto = async (seed: number): Promise<Buffer> => {
  const sum = new Float32Array(SIZE.width * SIZE.height * 3).fill(128);
  for (const { spotPx, strength } of LAYERS) {
    const pixels = await layer(spotPx, seed);
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (((pixels[at] ?? 0) - 128) / 128) * strength;
  }
  const pixels = Buffer.from(Uint8ClampedArray.from(sum).buffer);
  return sharp(pixels, { raw: { ...SIZE, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
};
