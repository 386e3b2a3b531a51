import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { createImages } from "#lib/integrations/images/client.ts";

const images = createImages();
const folder = mkdtempSync(join(tmpdir(), "fitting-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CANVAS = { widthPx: 400, heightPx: 600 };

type Color = [red: number, green: number, blue: number];
const RED: Color = [220, 40, 40];
const GREEN: Color = [40, 200, 90];
const BLUE: Color = [40, 60, 220];
const BLACK: Color = [0, 0, 0];

/** 600 pixels high and green, with a black line down its middle, a red left edge, and a blue right edge. */
const drawn = async (width: number) => {
  const path = join(folder, `${width}.png`);
  const bar = (x: number, barWidth: number, [r, g, b]: Color) =>
    `<rect x="${x}" width="${barWidth}" height="600" fill="rgb(${r},${g},${b})"/>`;
  const bars = [bar(0, width, GREEN), bar(width / 2 - 10, 20, BLACK), bar(0, 60, RED), bar(width - 60, 60, BLUE)].join(
    "",
  );
  await sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="600">${bars}</svg>`))
    .png()
    .toFile(path);
  const fitted = await images.fitToCanvas(path, CANVAS);
  if (fitted.kind !== "fitted") throw new Error(fitted.kind);
  const { data, info } = await sharp(fitted.jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([CANVAS.widthPx, CANVAS.heightPx]);
  return (x: number, y: number): number[] => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
};

const isNear = (pixel: readonly number[], color: Color): boolean =>
  pixel.every((value, at) => Math.abs(value - (color[at] ?? 0)) < 24);

const TOP = 5;
const MIDDLE = 300;
const CENTER = 200;

describe("a page's image in the shape of a pin", () => {
  test("fills it while at most 30 % of the image is lost, the same on both sides", async () => {
    const at = await drawn(570);
    for (const y of [TOP, MIDDLE, 594]) {
      expect(isNear(at(3, y), GREEN)).toBe(true);
      expect(isNear(at(396, y), GREEN)).toBe(true);
      expect(isNear(at(CENTER, y), BLACK)).toBe(true);
    }
  });

  test("is whole in the middle otherwise, before a darker and blurred copy that fills the rest", async () => {
    const at = await drawn(580);
    expect(isNear(at(5, MIDDLE), RED)).toBe(true);
    expect(isNear(at(394, MIDDLE), BLUE)).toBe(true);
    expect(isNear(at(CENTER, MIDDLE), BLACK)).toBe(true);
    // Its copy has no sharp line, and is green at the sides, where the image is red and blue.
    for (const y of [TOP, 594]) {
      expect(isNear(at(CENTER, y), BLACK)).toBe(false);
      const [red = 0, green = 0, blue = 0] = at(30, y);
      expect(green).toBeGreaterThan(red + 40);
      expect(green).toBeGreaterThan(blue + 40);
      expect(green).toBeLessThan(GREEN[1] - 15);
    }
  });
});
