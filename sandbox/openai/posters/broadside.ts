import { between, createRandom, pick } from "../seed.ts";
import { contrast } from "./color.ts";
import { drawCaption, drawLine, drawTitle, type Face, fitTitle, type Ink, inkOf, titleHeight } from "./lettering.ts";
import type { Palette } from "./palettes.ts";
import { DESIGN, fillDisc, fillGround, type Sheet, strokePath } from "./sheet.ts";
import type { BroadsideContent, BroadsideRow, PosterText } from "./spec.ts";

const WIDEST = 880;
const TALLEST = 620;
/** How closely the huge letters are set, of their size. */
const TRACKING = -0.05;
const BIG_TOP = 140;
const RULE_GAP = 76;
const HIGHEST_TITLE = 720;
const ROW_STEP = 84;
const LEAST_CONTRAST = 2.8;

type Big = { text: string; face: Face; size: number; tracking: number; ink: Ink };

/** The numeral or word, as large as the sheet allows. */
function fitBig(sheet: Sheet, text: string): Big {
  const face: Face = /^\d/.test(text) ? { style: "title", weight: 300 } : { style: "italic", weight: 340 };
  const set = (size: number) => ({ text, face, size, tracking: size * TRACKING });
  const trial = inkOf(sheet, set(100));
  const size = 100 * Math.min(WIDEST / (trial.left + trial.right), TALLEST / (trial.above + trial.below));
  return { ...set(size), ink: inkOf(sheet, set(size)) };
}

/** Draws the numeral or word over its disc and returns where its ink ends below. */
function drawBig(sheet: Sheet, palette: Palette, big: Big, aside: number): number {
  const { left, right, above, below } = big.ink;
  const radius = Math.min(330, Math.max(above * 0.62, 190));
  fillDisc(sheet, [DESIGN.width * aside, BIG_TOP + above * 0.56], radius, palette.b);
  const candidates = [palette.a, palette.d, palette.c, palette.ink];
  const clear = (color: string) => Math.min(contrast(color, palette.ground), contrast(color, palette.b) * 1.4);
  const fill = candidates.find((color) => clear(color) >= LEAST_CONTRAST) ?? palette.ink;
  const at = [(DESIGN.width - right + left) / 2, BIG_TOP + above] as const;
  drawLine(sheet, { ...big, at, fill, align: "left" });
  return BIG_TOP + above + below;
}

function drawRows(sheet: Sheet, palette: Palette, rows: readonly BroadsideRow[], top: number, last: number): void {
  const { left, right } = sheet.frame;
  rows.forEach(([name, value], index) => {
    const y = top + index * ROW_STEP;
    if (y > last) return;
    strokePath(sheet, `M${left + 72} ${y - 60}H${right - 72}`, palette.ink, 2, 0.35);
    const line = { size: 46, tracking: -0.6, fill: palette.ink } as const;
    drawLine(sheet, {
      ...line,
      text: name,
      face: { style: "italic", weight: 380 },
      at: [left + 72, y - 6],
      align: "left",
    });
    drawLine(sheet, {
      ...line,
      text: value,
      face: { style: "title", weight: 400 },
      at: [right - 72, y - 6],
      align: "right",
    });
  });
}

/** Direction 4: one enormous numeral or word over a disc, a rule, the title, and a short ruled list. */
export function drawBroadside(
  sheet: Sheet,
  palette: Palette,
  text: PosterText,
  seed: number,
  { big, rows }: BroadsideContent,
): void {
  const random = createRandom(seed);
  const { left, right, bottom } = sheet.frame;
  fillGround(sheet, palette.ground);
  const foot = drawBig(sheet, palette, fitBig(sheet, big), pick(random, [0.38, 0.62]) + between(random, -0.04, 0.04));
  const top = Math.max(foot + RULE_GAP + 50, HIGHEST_TITLE);
  strokePath(sheet, `M${left + 72} ${top - 50}H${right - 72}`, palette.ink, 5);
  const title = { lines: text.lines, size: 152, maxWidth: right - left - 144, weight: 400 };
  const size = fitTitle(sheet, title);
  drawTitle(sheet, { ...title, at: [left + 72, top], fill: palette.ink, align: "left" });
  const rowsTop = top + titleHeight(title.lines.length, size) + 112;
  drawRows(sheet, palette, rows, rowsTop, bottom - 150);
  const caption = { text: text.caption, maxWidth: DESIGN.width - 144, fill: palette.ink, align: "left" } as const;
  drawCaption(sheet, { ...caption, at: [left + 72, bottom - 66] });
}
