import { createRandom, pick } from "../seed.ts";
import { arrangements } from "./arrangements.ts";
import { readableOn } from "./color.ts";
import { drawCaption, drawTitle } from "./lettering.ts";
import { deepest, type Palette } from "./palettes.ts";
import { DESIGN, fillBox, fillDisc, fillGround, fillPath, mirrored, type Sheet } from "./sheet.ts";
import type { Arrangement, PosterText } from "./spec.ts";

const TABLE_TOP = 1140;
const MIDDLE = DESIGN.width / 2;

/** The shapes on the wall behind the things. */
const BACKDROPS = {
  arch: (sheet: Sheet, fill: string) =>
    fillPath(sheet, `M232 ${TABLE_TOP}V800A280 280 0 0 1 792 800V${TABLE_TOP}Z`, fill),
  disc: (sheet: Sheet, fill: string) => fillDisc(sheet, [MIDDLE, 830], 344, fill),
  panel: (sheet: Sheet, fill: string) => fillPath(sheet, `M252 ${TABLE_TOP}V520H772V${TABLE_TOP}Z`, fill),
} as const;

/** Direction 6: vessels on a table before an arch, the title centred above them. */
export function drawStillLife(
  sheet: Sheet,
  palette: Palette,
  text: PosterText,
  seed: number,
  arrangement: Arrangement,
): void {
  const random = createRandom(seed);
  const shade = deepest(palette);
  const { left, top, right, bottom } = sheet.frame;
  fillGround(sheet, palette.ground);
  BACKDROPS[pick(random, ["arch", "arch", "disc", "panel"] as const)](sheet, palette.b);
  fillBox(sheet, [left - 1, TABLE_TOP], [right + 1, bottom + 1], palette.a);
  fillBox(sheet, [left - 1, TABLE_TOP], [right + 1, TABLE_TOP + 14], shade, 0.2);
  mirrored(sheet, random() < 0.5, () => arrangements[arrangement]({ sheet, palette, shade, random }));
  drawTitle(sheet, {
    lines: text.lines,
    at: [MIDDLE, top + 104],
    size: 144,
    maxWidth: 880,
    fill: palette.ink,
    align: "center",
    weight: 400,
  });
  drawCaption(sheet, {
    text: text.caption,
    at: [MIDDLE, bottom - 64],
    maxWidth: 880,
    fill: readableOn(palette.a, [palette.ground, palette.ink, shade]),
    align: "center",
  });
}
