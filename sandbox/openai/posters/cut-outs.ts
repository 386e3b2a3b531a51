import { createRandom, pick, type Random } from "../seed.ts";
import { contrast } from "./color.ts";
import { drawCaption, drawTitle } from "./lettering.ts";
import type { Palette } from "./palettes.ts";
import { cutShapes } from "./scissors.ts";
import { clippedTo, DESIGN, fillBox, fillGround, mirrored, type Point, type Sheet } from "./sheet.ts";
import type { PosterText } from "./spec.ts";

const ART_HEIGHT = 1040;
const LEAST_CONTRAST = 1.7;

type Cell = readonly [x: number, y: number, width: number, height: number];
type ShapeName = keyof typeof cutShapes;

/** Six fields each; columns and rows differ, so that two posters side by side do not look alike. */
const LAYOUTS: readonly (readonly Cell[])[] = [
  [
    [0, 0, 430, 520],
    [430, 0, 594, 330],
    [430, 330, 594, 430],
    [0, 520, 430, 520],
    [430, 760, 300, 280],
    [730, 760, 294, 280],
  ],
  [
    [0, 0, 594, 400],
    [594, 0, 430, 400],
    [0, 400, 340, 320],
    [0, 720, 340, 320],
    [340, 400, 684, 320],
    [340, 720, 684, 320],
  ],
  [
    [0, 0, 342, 346],
    [342, 0, 682, 520],
    [0, 346, 342, 346],
    [0, 692, 342, 348],
    [342, 520, 341, 520],
    [683, 520, 341, 520],
  ],
];

function touch([x, y, width, height]: Cell, [otherX, otherY, otherWidth, otherHeight]: Cell): boolean {
  return x <= otherX + otherWidth && otherX <= x + width && y <= otherY + otherHeight && otherY <= y + height;
}

/** A field colour for each cell, unlike those it touches where four colours allow it. */
function colorFields(random: Random, layout: readonly Cell[], colors: readonly string[]): string[] {
  const fields: string[] = [];
  layout.forEach((cell, index) => {
    const beside = fields.filter((_, other) => other < index && touch(cell, layout[other] ?? cell));
    const free = colors.filter((color) => !beside.includes(color));
    const unlikeLast = colors.filter((color) => color !== beside[beside.length - 1]);
    fields.push(pick(random, free.length > 0 ? free : unlikeLast));
  });
  return fields;
}

/** One shape for each field: none twice in a row, none more than twice. */
function chooseShapes(random: Random, count: number): ShapeName[] {
  const all: ShapeName[] = ["frond", "blossom", "leaves", "citrus", "sun", "pebbles"];
  const chosen: ShapeName[] = [];
  while (chosen.length < count) {
    const free = all.filter((name) => name !== chosen[chosen.length - 1]);
    const name = pick(random, free);
    if (chosen.filter((other) => other === name).length < 2) chosen.push(name);
  }
  return chosen;
}

function drawFields(sheet: Sheet, palette: Palette, random: Random, artBottom: number): void {
  const { left, top, right } = sheet.frame;
  const { ground, ink, a, b, c, d } = palette;
  const scale: Point = [(right - left) / DESIGN.width, (artBottom - top) / ART_HEIGHT];
  const layout = pick(random, LAYOUTS);
  const fields = colorFields(random, layout, [a, b, c, d]);
  const shapes = chooseShapes(random, layout.length);
  layout.forEach(([x, y, width, height], index) => {
    const field = fields[index] ?? a;
    const from: Point = [left + x * scale[0], top + y * scale[1]];
    const to: Point = [from[0] + width * scale[0], from[1] + height * scale[1]];
    const colors = [a, b, c, d, ground, ink].filter((color) => contrast(color, field) >= LEAST_CONTRAST);
    const fill = pick(random, colors);
    fillBox(sheet, [from[0] - 1, from[1] - 1], [to[0] + 1, to[1] + 1], field);
    clippedTo(sheet, `M${from[0]} ${from[1]}H${to[0]}V${to[1]}H${from[0]}Z`, () => {
      cutShapes[shapes[index] ?? "frond"](sheet, { from, to, fill, field, paper: ground, random });
    });
  });
}

/** Direction 3: scissored shapes on six colour fields, the title below. */
export function drawCutOuts(sheet: Sheet, palette: Palette, text: PosterText, seed: number): void {
  const random = createRandom(seed);
  const { left, right, bottom } = sheet.frame;
  const artBottom = bottom - (DESIGN.height - ART_HEIGHT);
  fillGround(sheet, palette.ground);
  mirrored(sheet, random() < 0.5, () => drawFields(sheet, palette, random, artBottom));
  fillBox(sheet, [left - 1, artBottom], [right + 1, bottom + 1], palette.ground);
  const maxWidth = right - left - 144;
  const title = { lines: text.lines, size: 150, fill: palette.ink, weight: 500, align: "left" } as const;
  drawTitle(sheet, { ...title, at: [left + 72, artBottom + 56], maxWidth });
  drawCaption(sheet, { text: text.caption, at: [left + 76, bottom - 70], maxWidth, fill: palette.ink, align: "left" });
}
