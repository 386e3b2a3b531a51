import { readdirSync, statSync } from "node:fs";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { backgroundNames, choosePoster, drawPoster } from "#sandbox/openai/posters.ts";

const FOLDER = new URL("../../sandbox/openai/backgrounds/", import.meta.url);
const promptOf = (keyword: string) => JSON.stringify({ keyword });

test("R-SRV-10 every background is committed, has the designed size, and is small", async () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(backgroundNames.map((name) => `${name}.webp`).toSorted());
  const bytes = backgroundNames.reduce((sum, name) => sum + statSync(new URL(`${name}.webp`, FOLDER)).size, 0);
  expect(bytes).toBeLessThan(3_000_000);
  for (const name of backgroundNames) {
    const { width, height } = await loadImage(new URL(`${name}.webp`, FOLDER));
    expect([width, height], name).toEqual([1024, 1536]);
  }
});

test("R-SRV-10 prompts use all backgrounds, and the background fits the keyword", () => {
  const seen = new Set(Array.from({ length: 600 }, (_, n) => choosePoster(promptOf(`thing ${n}`)).name));
  expect(seen.size).toBe(backgroundNames.length);
  const breads = Array.from({ length: 100 }, (_, n) => choosePoster(promptOf(`sourdough bread ${n}`)).name);
  expect(breads.filter((name) => /^(bread|tea|fruit|cut-outs)/.test(name)).length).toBeGreaterThan(75);
});

/** Share of pixels that differ between two images, within a range of rows. */
const differenceOf = async (item: Buffer, other: Buffer, [from, to]: [number, number]): Promise<number> => {
  const [a, b] = await Promise.all(
    [item, other].map(async (bytes) => {
      const image = await loadImage(bytes);
      const canvas = createCanvas(image.width, image.height);
      const ctx = canvas.getContext("2d");
      ctx.drawImage(image, 0, 0);
      const top = Math.round(image.height * from);
      return ctx.getImageData(0, top, image.width, Math.round(image.height * (to - from))).data;
    }),
  );
  if (!a || !b) throw new Error("There are two.");
  let different = 0;
  for (let at = 0; at < a.length; at += 4) if (a[at] !== b[at]) different += 1;
  return different / (a.length / 4);
};

test("R-SRV-10 the keyword is on the image: the same background with another keyword differs only there", async () => {
  const size = { widthPx: 512, heightPx: 768, format: "png" } as const;
  const prompts = Array.from({ length: 400 }, (_, n) => promptOf(`mountain trip q${n.toString(36)}`));
  const isHills = (prompt: string) => {
    const { name, isMirrored } = choosePoster(prompt);
    return name === "hills-moss" && !isMirrored;
  };
  const [item = "", other = ""] = prompts.filter(isHills);
  const [first, second] = await Promise.all([item, other].map((prompt) => drawPoster({ prompt, ...size })));
  if (!first || !second) throw new Error("Two prompts share a background.");
  expect(await differenceOf(first, second, [0.05, 0.25])).toBeGreaterThan(0.0005);
  expect(await differenceOf(first, second, [0.4, 0.9])).toBe(0);
});
