import { between, type Random } from "../seed.ts";
import { drawLeaf } from "./botany.ts";
import { fillDisc, fillPath, type Point, type Sheet, strokePath, turned } from "./sheet.ts";

/** One field to cut a shape for: its corners, the shape's colour, the field's, and the paper's. */
export type Snippet = { from: Point; to: Point; fill: string; field: string; paper: string; random: Random };

const TURN = Math.PI * 2;

function middleOf({ from, to }: Snippet): { middle: Point; reach: number } {
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return { middle, reach: Math.min(to[0] - from[0], to[1] - from[1]) * 0.42 };
}

function polar([x, y]: Point, angle: number, radius: number): string {
  return `${x + Math.cos(angle) * radius} ${y + Math.sin(angle) * radius}`;
}

/** Seaweed: a tapering stem with six pairs of rounded lobes. */
function cutFrond(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach: half } = middleOf(snippet);
  const reach = half * 0.9;
  const width = reach * 0.145;
  turned(sheet, middle, between(snippet.random, -25, 25), () => {
    for (let pair = 0; pair < 6; pair++) {
      const share = pair / 5;
      const y = reach * 1.05 - share * 2 * reach;
      const length = reach * (0.78 - 0.42 * Math.abs(share - 0.35));
      for (const side of [-1, 1]) {
        const out = side * length;
        const upper = `C${out * 0.5} ${y - width * 0.2} ${out * 0.75} ${y - width * 3.1} ${out} ${y - width * 2.2}`;
        const lower = `C${out * 1.18} ${y - width * 1.2} ${out * 0.6} ${y + width * 1.2} 0 ${y + width * 1.25}`;
        fillPath(sheet, `M0 ${y}${upper}${lower}Z`, snippet.fill);
      }
    }
    fillPath(
      sheet,
      `M${-reach * 0.07} ${reach * 1.25}L0 ${-reach * 1.25}L${reach * 0.07} ${reach * 1.25}Z`,
      snippet.fill,
    );
  });
}

/** A blossom of five to eight round petals with an eye. */
function cutBlossom(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach } = middleOf(snippet);
  const petals = 5 + Math.floor(snippet.random() * 4);
  const turn = snippet.random() * TURN;
  let path = `M${polar(middle, turn, reach * 0.46)}`;
  for (let petal = 0; petal < petals; petal++) {
    const start = turn + (petal / petals) * TURN;
    const end = turn + ((petal + 1) / petals) * TURN;
    path += `C${polar(middle, start + 0.05, reach * 1.38)} ${polar(middle, end - 0.05, reach * 1.38)} `;
    path += polar(middle, end, reach * 0.46);
  }
  fillPath(sheet, `${path}Z`, snippet.fill);
  fillDisc(sheet, middle, reach * 0.2, snippet.field);
}

/** Three drifting leaves. */
function cutLeaves(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach: half } = middleOf(snippet);
  const reach = half * 0.94;
  for (const index of [-1, 0, 1]) {
    drawLeaf(
      sheet,
      {
        at: [middle[0] + index * reach * 0.55, middle[1] + reach * (0.7 - 0.1 * index)],
        length: reach * (1.45 + 0.25 * snippet.random()),
        width: reach * 0.34,
        degrees: index * 16 + between(snippet.random, -7, 7),
        fill: snippet.fill,
        rib: snippet.field,
      },
      reach * 0.1,
    );
  }
}

/** A slice of citrus: peel, pith and nine segments. */
function cutCitrus(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach } = middleOf(snippet);
  const pith = snippet.fill === snippet.paper ? snippet.field : snippet.paper;
  fillDisc(sheet, middle, reach * 1.08, snippet.fill);
  fillDisc(sheet, middle, reach * 0.94, pith);
  const turn = snippet.random() * TURN;
  const outer = reach * 0.84;
  for (let segment = 0; segment < 9; segment++) {
    const start = turn + (segment / 9) * TURN + 0.085;
    const end = turn + ((segment + 1) / 9) * TURN - 0.085;
    const path =
      `M${polar(middle, (start + end) / 2, reach * 0.14)}L${polar(middle, start, outer)}` +
      `A${outer} ${outer} 0 0 1 ${polar(middle, end, outer)}Z`;
    fillPath(sheet, path, snippet.fill);
    strokePath(sheet, path, snippet.fill, reach * 0.035);
  }
}

/** A sun: a disc inside a ring of short rays. */
function cutSun(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach } = middleOf(snippet);
  fillDisc(sheet, middle, reach * 0.52, snippet.fill);
  const turn = snippet.random() * TURN;
  for (let ray = 0; ray < 14; ray++) {
    const angle = turn + (ray / 14) * TURN;
    const path =
      `M${polar(middle, angle - 0.12, reach * 0.68)}L${polar(middle, angle, reach * 1.1)}` +
      `L${polar(middle, angle + 0.12, reach * 0.68)}Z`;
    fillPath(sheet, path, snippet.fill);
  }
}

/** Three stacked pebbles, the widest at the foot. */
function cutPebbles(sheet: Sheet, snippet: Snippet): void {
  const { middle, reach } = middleOf(snippet);
  const sizes = [0.92, 0.66, 0.4];
  let foot = middle[1] + reach * 0.98;
  sizes.forEach((size, index) => {
    const height = reach * (0.36 - index * 0.04);
    const at: Point = [middle[0] + between(snippet.random, -0.1, 0.1) * reach, foot - height];
    turned(sheet, at, between(snippet.random, -5, 5), () => {
      const wide = reach * size;
      const half = `C${wide} ${-height * 0.62} ${wide * 0.62} ${-height} 0 ${-height}`;
      const other = `C${-wide * 0.72} ${-height} ${-wide} ${-height * 0.5} ${-wide} ${height * 0.12}`;
      const below = `C${-wide} ${height * 0.8} ${-wide * 0.5} ${height} 0 ${height}`;
      fillPath(
        sheet,
        `M${wide} 0${half}${other}${below}C${wide * 0.64} ${height} ${wide} ${height * 0.7} ${wide} 0Z`,
        snippet.fill,
      );
    });
    foot -= height * 2 + reach * 0.03;
  });
}

/** Every shape the scissors know, by name. */
export const cutShapes = {
  frond: cutFrond,
  blossom: cutBlossom,
  leaves: cutLeaves,
  citrus: cutCitrus,
  sun: cutSun,
  pebbles: cutPebbles,
} as const;
