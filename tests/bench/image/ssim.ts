import sharp from "sharp";

const BLOCK = 8;
const [C1, C2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

interface Luma {
  data: Buffer;
  width: number;
  height: number;
}

const lumaOf = async (image: Uint8Array): Promise<Luma> => {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
};

const blockSsim = (a: Luma, b: Luma, left: number, top: number): number => {
  const sums = { a: 0, b: 0, aa: 0, bb: 0, ab: 0 };
  for (let at = 0; at < BLOCK * BLOCK; at += 1) {
    const index = (top + Math.floor(at / BLOCK)) * a.width + left + (at % BLOCK);
    const [x, y] = [a.data[index] ?? 0, b.data[index] ?? 0];
    sums.a += x;
    sums.b += y;
    sums.aa += x * x;
    sums.bb += y * y;
    sums.ab += x * y;
  }
  const n = BLOCK * BLOCK;
  const [meanA, meanB] = [sums.a / n, sums.b / n];
  const [varA, varB, cov] = [sums.aa / n - meanA ** 2, sums.bb / n - meanB ** 2, sums.ab / n - meanA * meanB];
  return ((2 * meanA * meanB + C1) * (2 * cov + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varA + varB + C2));
};

/** Structural similarity of two images of the same size, over 8 x 8 blocks of luma; 1 is identical. */
export const ssimOf = async (item: Uint8Array, other: Uint8Array): Promise<number> => {
  const [a, b] = await Promise.all([lumaOf(item), lumaOf(other)]);
  if (a.width !== b.width || a.height !== b.height) return 0;
  let sum = 0;
  let blocks = 0;
  for (let top = 0; top + BLOCK <= a.height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= a.width; left += BLOCK) {
      sum += blockSsim(a, b, left, top);
      blocks += 1;
    }
  }
  return sum / blocks;
};
