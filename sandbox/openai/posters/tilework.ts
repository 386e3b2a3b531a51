import { createRandom, pick, type Random } from "../seed.ts";
import { contrast } from "./color.ts";
import { drawCaption, drawTitle } from "./lettering.ts";
import type { Palette } from "./palettes.ts";
import { clippedTo, DESIGN, fillBox, fillGround, type Sheet } from "./sheet.ts";
import type { PosterText } from "./spec.ts";
import { type Tile, tiles } from "./tiles.ts";

const TILE = 256;
const LETTERING_HEIGHT = 512;
const LEAST_CONTRAST = 1.35;

type Laid = { tile: Tile; quarter: number; field: string; shape: string };

/** One tile whose field differs from its neighbours' and whose shape stands out from the field. */
function chooseTile(random: Random, colors: readonly string[], beside: readonly string[]): Laid {
  const free = colors.filter((color) => !beside.includes(color));
  const field = pick(random, free.length > 0 ? free : colors);
  const shapes = colors.filter((color) => contrast(color, field) >= LEAST_CONTRAST);
  return { tile: pick(random, tiles), quarter: Math.floor(random() * 4), field, shape: pick(random, shapes) };
}

function layOut(random: Random, colors: readonly string[], columns: number, rows: number): Laid[][] {
  const laid: Laid[][] = [];
  for (let row = 0; row < rows; row++) {
    const line: Laid[] = [];
    for (let column = 0; column < columns; column++) {
      const beside = [line[column - 1], laid[row - 1]?.[column]].flatMap((one) => (one ? [one.field] : []));
      line.push(chooseTile(random, colors, beside));
    }
    laid.push(line);
  }
  return laid;
}

/** Direction 5: a wall of tiles, laid freely or mirrored about its middle like a quilt, the title below. */
export function drawTilework(sheet: Sheet, palette: Palette, text: PosterText, seed: number): void {
  const random = createRandom(seed);
  const { left, top, right, bottom } = sheet.frame;
  const artBottom = bottom - LETTERING_HEIGHT;
  const columns = Math.round((right - left) / TILE);
  const side = (right - left) / columns;
  const rows = Math.ceil((artBottom - top) / side);
  const isQuilt = random() < 0.4;
  const half = (count: number) => (isQuilt ? Math.ceil(count / 2) : count);
  const { ground, a, b, c, d } = palette;
  const laid = layOut(random, [a, b, c, d, ground], half(columns), half(rows));
  fillGround(sheet, ground);
  const places = placesOf(laid, { left, top, side, columns, rows });
  clippedTo(sheet, `M${left - 1} ${top - 1}H${right + 1}V${artBottom}H${left - 1}Z`, () => {
    // All fields first: a hair of overlap hides their seams, and must not cut into a neighbour's shape.
    for (const { laid: one, x, y } of places)
      fillBox(sheet, [x - 0.5, y - 0.5], [x + side + 0.5, y + side + 0.5], one.field);
    for (const place of places) layTile(sheet, place, side);
  });
  const title = { lines: text.lines, size: 156, fill: palette.ink, weight: 400, align: "left" } as const;
  drawTitle(sheet, { ...title, at: [left + 72, artBottom + 70], maxWidth: right - left - 144 });
  const caption = { text: text.caption, fill: palette.ink, align: "left", maxWidth: DESIGN.width - 148 } as const;
  drawCaption(sheet, { ...caption, at: [left + 76, bottom - 66] });
}

type Wall = { left: number; top: number; side: number; columns: number; rows: number };
type Place = { laid: Laid; x: number; y: number; isFlippedX: boolean; isFlippedY: boolean };

/** Where each tile goes; where fewer were laid out than the wall holds, they are repeated as in a mirror. */
function placesOf(laid: readonly Laid[][], { left, top, side, columns, rows }: Wall): Place[] {
  return Array.from({ length: rows * columns }, (_, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const isFlippedY = row >= laid.length;
    const line = laid[isFlippedY ? rows - 1 - row : row] ?? [];
    const isFlippedX = column >= line.length;
    const one = line[isFlippedX ? columns - 1 - column : column];
    if (!one) throw new Error("The wall is wider than twice its pattern");
    return { laid: one, x: left + column * side, y: top + row * side, isFlippedX, isFlippedY };
  });
}

function layTile(sheet: Sheet, { laid, x, y, isFlippedX, isFlippedY }: Place, side: number): void {
  const { ctx } = sheet;
  ctx.save();
  ctx.translate(x + side / 2, y + side / 2);
  ctx.scale(isFlippedX ? -1 : 1, isFlippedY ? -1 : 1);
  ctx.rotate((laid.quarter * Math.PI) / 2);
  ctx.translate(-side / 2, -side / 2);
  laid.tile(sheet, side, laid);
  ctx.restore();
}
