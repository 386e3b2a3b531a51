import { mix } from "./color.ts";
import { clippedTo, fillDisc, fillEllipse, fillPath, type Point, type Sheet } from "./sheet.ts";

const MOUTH_FLATNESS = 0.16;

/** A lathe profile from foot to mouth: half widths at heights, both in design units. */
export type Profile = readonly Point[];

/** One flank of a vessel from foot to mouth; `side` is 1 for the right, -1 for the left. */
function flank(middle: number, foot: number, profile: Profile, side: 1 | -1): string {
  let path = "";
  profile.forEach(([half, height], index) => {
    const y = foot - height;
    const below = profile[index - 1];
    if (!below) {
      path += `L${middle + side * half} ${y}`;
      return;
    }
    const between = foot - (below[1] + height) / 2;
    path += `C${middle + side * below[0]} ${between} ${middle + side * half} ${between} ${middle + side * half} ${y}`;
  });
  return path;
}

/** Draws a turned vessel standing at (middle, foot): body, shaded right half, mouth and shadow. */
export function drawVessel(sheet: Sheet, [middle, foot]: Point, profile: Profile, fill: string, shade: string): void {
  const base = profile[0];
  const mouth = profile[profile.length - 1];
  if (!base || !mouth) throw new Error("A vessel needs a foot and a mouth");
  const y = foot - mouth[1];
  const right = `M${middle} ${foot}${flank(middle, foot, profile, 1)}L${middle} ${y}Z`;
  const left = `M${middle} ${foot}${flank(middle, foot, profile, -1)}L${middle} ${y}Z`;
  fillEllipse(sheet, [middle + 34, foot], [base[0] * 1.5, 16], shade, 0.22);
  fillPath(sheet, left + right, fill);
  fillPath(sheet, `M${middle - 0.8} ${foot}V${y}H${middle + 0.8}V${foot}Z`, fill);
  fillPath(sheet, right, shade, 0.13);
  fillEllipse(sheet, [middle, y], [mouth[0], mouth[0] * MOUTH_FLATNESS], mix(fill, shade, 0.6));
}

/** Runs `draw` so that what it shows sits inside a mouth of this half width at (middle, y), behind the front rim. */
export function insideMouth(sheet: Sheet, [middle, y]: Point, half: number, draw: () => void): void {
  const rim = `M${middle - half} ${y}A${half} ${half * MOUTH_FLATNESS} 0 0 0 ${middle + half} ${y}`;
  clippedTo(sheet, `${rim}V${y - 600}H${middle - half}Z`, draw);
}

/** Draws a round fruit lying at `at`, with its shadow and shaded right half. */
export function drawFruit(sheet: Sheet, [x, y]: Point, radius: number, fill: string, shade: string): void {
  fillEllipse(sheet, [x + 16, y + radius - 4], [radius, 9], shade, 0.2);
  fillDisc(sheet, [x, y], radius, fill);
  fillPath(sheet, `M${x} ${y - radius}A${radius} ${radius} 0 0 1 ${x} ${y + radius}Z`, shade, 0.13);
}
