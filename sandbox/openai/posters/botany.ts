import { fillPath, type Point, type Sheet, strokePath, turned } from "./sheet.ts";

/** A cubic curve: start, two handles, end. */
export type Curve = readonly [Point, Point, Point, Point];

/** The point of a curve at `share` of its way. */
export function pointOn(curve: Curve, share: number): Point {
  const rest = 1 - share;
  const [start, one, two, end] = curve;
  const along = (axis: 0 | 1) =>
    rest ** 3 * start[axis] +
    3 * rest ** 2 * share * one[axis] +
    3 * rest * share ** 2 * two[axis] +
    share ** 3 * end[axis];
  return [along(0), along(1)];
}

/** The heading of a curve at `share`, in degrees; 0 points up the sheet. */
export function headingOn(curve: Curve, share: number): number {
  const [x0, y0] = pointOn(curve, Math.max(0, share - 0.01));
  const [x1, y1] = pointOn(curve, Math.min(1, share + 0.01));
  return (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI + 90;
}

/** Draws a curve as a stem. */
export function drawStem(sheet: Sheet, curve: Curve, color: string, width: number): void {
  const [start, one, two, end] = curve.map(([x, y]) => `${x} ${y}`);
  strokePath(sheet, `M${start}C${one} ${two} ${end}`, color, width);
}

export type Leaf = { at: Point; length: number; width: number; degrees: number; fill: string; rib?: string };

/** Draws one pointed leaf growing from `at`; `bend` pushes its tip sideways. */
export function drawLeaf(sheet: Sheet, { at, length, width, degrees, fill, rib }: Leaf, bend = 0): void {
  const half = length * 0.5;
  const side = width * 0.9;
  const outline =
    `M0 0C${width} ${-half * 0.35} ${side + bend} ${-half * 1.35} ${bend} ${-length}` +
    `C${-side + bend} ${-half * 1.35} ${-width} ${-half * 0.35} 0 0Z`;
  turned(sheet, at, degrees, () => {
    fillPath(sheet, outline, fill);
    if (rib) strokePath(sheet, `M0 0Q${bend * 0.3} ${-half} ${bend} ${-length * 0.9}`, rib, 2.5);
  });
}
