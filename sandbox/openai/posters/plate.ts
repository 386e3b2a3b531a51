import { createRandom } from "../seed.ts";
import { drawCaption, drawTitle, fitTitle, titleHeight } from "./lettering.ts";
import type { Palette } from "./palettes.ts";
import { plants, type Specimen } from "./plants.ts";
import { DESIGN, fillGround, type Sheet, strokePath } from "./sheet.ts";
import type { Plant, PosterText } from "./spec.ts";

const INSET = 56;
const FAINT = 0.28;
/** Where the last line of the title stands above the foot of the sheet, and how far the rule is above the first. */
const FOOT = 138;
const RULE_GAP = 62;
/** Kept clear between the specimen and what surrounds it. */
const AIR = { top: 106, bottom: 56, side: 40 } as const;
const LARGEST_SCALE = 1.6;
const NUMBERS = 60;

/** Direction 1: one pressed specimen in a frame, its name under a rule. */
export function drawPlate(sheet: Sheet, palette: Palette, text: PosterText, seed: number, plant: Plant): void {
  const random = createRandom(seed);
  const { left, top, right, bottom } = sheet.frame;
  const [from, to] = [left + INSET, right - INSET];
  const wanted = { lines: text.lines, size: 124, maxWidth: right - left - 208, weight: 400 };
  const size = fitTitle(sheet, wanted);
  const titleTop = bottom - FOOT + size * 0.17 - titleHeight(text.lines.length, size);
  const rule = titleTop - RULE_GAP;
  fillGround(sheet, palette.ground);
  const box = { from, to, top: top + INSET + AIR.top, bottom: rule - AIR.bottom };
  mount(sheet, plants[plant], box, (specimen) => specimen.draw({ sheet, palette, random }));
  const frame = `M${from} ${top + INSET}H${to}V${bottom - INSET}H${from}Z`;
  strokePath(sheet, `${frame}M${from} ${rule}H${to}`, palette.ink, 2, FAINT);
  drawTitle(sheet, { ...wanted, at: [left + 104, titleTop], fill: palette.ink, align: "left" });
  const caption = { fill: palette.ink, maxWidth: DESIGN.width - 420 } as const;
  const number = String(1 + Math.floor(random() * NUMBERS)).padStart(2, "0");
  drawCaption(sheet, { ...caption, text: `No. ${number}`, at: [left + 104, top + 122], align: "left" });
  drawCaption(sheet, { ...caption, text: text.caption, at: [right - 104, top + 122], align: "right" });
}

type Box = { from: number; to: number; top: number; bottom: number };

/** Runs `draw` so that the specimen fills the box as far as its own proportions allow, in its middle. */
function mount({ ctx }: Sheet, specimen: Specimen, box: Box, draw: (specimen: Specimen) => void): void {
  const room = { width: box.to - box.from - 2 * AIR.side, height: box.bottom - box.top };
  const height = specimen.bottom - specimen.top;
  const scale = Math.min(room.width / (2 * specimen.halfWidth), room.height / height, LARGEST_SCALE);
  ctx.save();
  ctx.translate((box.from + box.to) / 2, (box.top + box.bottom) / 2);
  ctx.scale(scale, scale);
  ctx.translate(-DESIGN.width / 2, -(specimen.top + specimen.bottom) / 2);
  draw(specimen);
  ctx.restore();
}
