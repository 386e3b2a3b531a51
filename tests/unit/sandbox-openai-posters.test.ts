import { createHash } from "node:crypto";
import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { contrast } from "#sandbox/openai/posters/color.ts";
import { composePoster } from "#sandbox/openai/posters/compose.ts";
import { drawPoster, drawScene } from "#sandbox/openai/posters/draw.ts";
import { registerFonts } from "#sandbox/openai/posters/lettering.ts";
import { palettes } from "#sandbox/openai/posters/palettes.ts";
import { frameOf } from "#sandbox/openai/posters/sheet.ts";
import type { PosterSpec, Scene } from "#sandbox/openai/posters/spec.ts";

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

const commission = (prompt: string, more = {}) =>
  composePoster({ prompt, variant: 0, widthPx: 512, heightPx: 768, format: "png", quality: 88, ...more });

const ROWS = [
  ["before breakfast", "twelve minutes"],
  ["sow", "in March"],
  ["rest", "X–XII"],
] as const;

const SCENES: Scene[] = [
  ...(["herb", "eucalyptus", "fir", "olive", "umbel", "wreath"] as const).map((plant) => ({
    direction: "plate" as const,
    plant,
  })),
  ...(["hills", "peaks", "water", "dunes"] as const).map((terrain) => ({ direction: "ridgeline" as const, terrain })),
  { direction: "cut-outs" },
  ...["7", "2026", "Try", "Moisturise"].map((big) => ({ direction: "broadside" as const, big, rows: ROWS })),
  { direction: "tilework" },
  ...(["branches", "figs", "bread", "pots", "fruit", "candles", "tea"] as const).map((arrangement) => ({
    direction: "still-life" as const,
    arrangement,
  })),
];

/** Each line of lettering with the box of its ink in pixels; one pixel of canvas is enough to measure them. */
function letteringOf(spec: PosterSpec): { text: string; left: number; top: number; right: number; bottom: number }[] {
  registerFonts();
  const ctx = createCanvas(1, 1).getContext("2d");
  const { frame, scale } = frameOf(spec.widthPx, spec.heightPx);
  ctx.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale);
  const lines: ReturnType<typeof letteringOf> = [];
  const fillText = ctx.fillText.bind(ctx);
  ctx.fillText = (text, x, y) => {
    const ink = ctx.measureText(text);
    const { a, d, e, f } = ctx.getTransform();
    const [left, right] = [x - ink.actualBoundingBoxLeft, x + ink.actualBoundingBoxRight].map((at) => at * a + e);
    const [top, bottom] = [y - ink.actualBoundingBoxAscent, y + ink.actualBoundingBoxDescent].map((at) => at * d + f);
    lines.push({ text, left: left ?? 0, right: right ?? 0, top: top ?? 0, bottom: bottom ?? 0 });
    fillText(text, x, y);
  };
  drawScene({ ctx, frame }, spec);
  return lines;
}

type Box = ReturnType<typeof letteringOf>[number];

/** Whether two lines run into each other; the tails of one line may touch the next by a hair. */
function overlap(one: Box, other: Box, { heightPx }: PosterSpec): boolean {
  const hair = heightPx * 0.022;
  const isBeside = one.right <= other.left || other.right <= one.left;
  return !isBeside && one.bottom - hair > other.top && other.bottom - hair > one.top;
}

describe("posters", () => {
  test("R-SRV-10 prompts spread over the directions and most palettes", () => {
    const specs = Array.from({ length: 300 }, (_, index) =>
      commission(JSON.stringify({ keyword: `subject ${index}` })),
    );
    expect(new Set(specs.map(({ scene }) => scene.direction))).toEqual(
      new Set(["plate", "ridgeline", "cut-outs", "broadside", "tilework", "still-life"]),
    );
    expect(new Set(specs.map(({ palette }) => palette)).size).toBe(Object.keys(palettes).length);
  });

  test("R-SRV-10 every scene draws in every palette without an error", async () => {
    const base = commission("all scenes", { widthPx: 96, heightPx: 144 });
    const seen = new Set<string>();
    for (const scene of SCENES) {
      for (const palette of ["moss", "night", "brick", "tide"] as const) {
        seen.add(digest(await drawPoster({ ...base, scene, palette })));
      }
    }
    expect(seen.size).toBe(SCENES.length * 4);
  });

  test("R-SRV-10 lettering stays within the sheet and apart, in every direction, size and length", () => {
    const sizes = [
      [512, 768],
      [256, 768],
      [768, 256],
    ] as const;
    const keywords = ["Tea", "Wildflower meadow planting plan, gently"];
    // One scene of each direction, and every broadside: only there the scene has a say in the lettering.
    const scenes = SCENES.filter((scene, index) => {
      const isFirst = SCENES.findIndex(({ direction }) => direction === scene.direction) === index;
      return isFirst || scene.direction === "broadside";
    });
    const specs = scenes.flatMap((scene) =>
      sizes.flatMap(([widthPx, heightPx]) =>
        keywords.map((keyword): PosterSpec => ({ ...commission(keyword, { widthPx, heightPx }), scene })),
      ),
    );
    for (const spec of specs) {
      const lines = letteringOf(spec);
      const name = `${JSON.stringify(spec.scene)} ${spec.widthPx}x${spec.heightPx} ${spec.text.lines.join("/")}`;
      expect(lines.length, name).toBeGreaterThanOrEqual(spec.text.lines.length + 1);
      for (const { text, left, right, top, bottom } of lines) {
        expect(Math.min(left, top, spec.widthPx - right, spec.heightPx - bottom), `${name}: ${text}`).toBeGreaterThan(
          6,
        );
      }
      const clashes = lines.flatMap((one, index) =>
        lines.slice(index + 1).filter((other) => overlap(one, other, spec) && one.text !== other.text),
      );
      expect(clashes, name).toEqual([]);
    }
  });

  test("R-SRV-10 a broadside sets the figure of a keyword apart, so its title begins after it", () => {
    const broadsides = Array.from({ length: 200 }, (_, index) =>
      commission(`12 picnic ideas near me`, { variant: index }),
    ).flatMap(({ scene, text }) =>
      scene.direction === "broadside" ? [{ big: scene.big, title: text.lines.join(" ") }] : [],
    );
    expect(broadsides.length).toBeGreaterThan(5);
    for (const { big, title } of broadsides) {
      expect(big).toBe("12");
      expect(title).not.toContain("12");
    }
  });

  test("R-SRV-10 the title of every palette is readable on its ground", () => {
    for (const [name, { ground, ink }] of Object.entries(palettes)) {
      expect(contrast(ground, ink), name).toBeGreaterThan(4.5);
    }
  });

  test("R-SRV-10 each direction draws the same bytes for the same spec, and other ones for another seed", async () => {
    for (const direction of new Set(SCENES.map((scene) => scene.direction))) {
      const scene = SCENES.find((one) => one.direction === direction);
      if (!scene) throw new Error("There is a scene of each direction");
      const spec = { ...commission("small garden", { widthPx: 96, heightPx: 144 }), scene };
      const [first, again] = [await drawPoster(spec), await drawPoster(spec)];
      expect(digest(first), direction).toBe(digest(again));
      expect(digest(await drawPoster({ ...spec, seed: spec.seed + 1 })), direction).not.toBe(digest(first));
    }
  });
});
