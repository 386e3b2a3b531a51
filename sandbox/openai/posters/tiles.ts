import { fillDisc, fillPath, type Sheet } from "./sheet.ts";

export type TileColors = { field: string; shape: string };

/** Draws one motif on a square of this side whose corner is the origin; the field is filled already. */
export type Tile = (sheet: Sheet, side: number, colors: TileColors) => void;

const SHADE = 0.16;

const quarterCircle: Tile = (sheet, side, { shape }) =>
  fillPath(sheet, `M0 0H${side}A${side} ${side} 0 0 1 0 ${side}Z`, shape);

const leaf: Tile = (sheet, side, { shape }) =>
  fillPath(sheet, `M0 0A${side} ${side} 0 0 1 ${side} ${side}A${side} ${side} 0 0 1 0 0Z`, shape);

const twinHalves: Tile = (sheet, side, { shape }) => {
  const half = side / 2;
  const bow = (y: number) => `M0 ${y}H${side}A${half} ${half} 0 0 1 0 ${y}Z`;
  fillPath(sheet, bow(0) + bow(half), shape);
};

const quarterRings: Tile = (sheet, side, { field, shape }) => {
  for (const [index, share] of [1, 0.72, 0.44].entries()) {
    const radius = side * share;
    fillPath(sheet, `M0 0H${radius}A${radius} ${radius} 0 0 1 0 ${radius}Z`, index % 2 === 0 ? shape : field);
  }
};

const splitDisc: Tile = (sheet, side, { shape }) => {
  const radius = side * 0.36;
  fillDisc(sheet, [side / 2, side / 2], radius, shape);
  const right = `M${side / 2} ${side / 2 - radius}A${radius} ${radius} 0 0 1 ${side / 2} ${side / 2 + radius}Z`;
  fillPath(sheet, right, "#000000", SHADE);
};

const triangle: Tile = (sheet, side, { shape }) => fillPath(sheet, `M0 0H${side}L0 ${side}Z`, shape);

/** The six motifs. */
export const tiles: readonly Tile[] = [quarterCircle, leaf, twinHalves, quarterRings, splitDisc, triangle];
