import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { luminanceOf } from "#lib/core/contrast.ts";
import {
  darkOf,
  drawLogo,
  fillRound,
  fitSignature,
  fitTitle,
  inksOf,
  isLight,
  layPaper,
  lightOf,
  logoSize,
  ruleColour,
  type Sheet,
  type Template,
  withAlpha,
} from "./template-sheet.ts";
import { ASCENT } from "./text-fitting.ts";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const traceArch = (ctx: SKRSContext2D, { x, y, width, height }: Box): void => {
  const radius = Math.min(width / 2, height);
  ctx.beginPath();
  ctx.moveTo(x, y + height);
  ctx.lineTo(x, y + radius);
  ctx.ellipse(x + width / 2, y + radius, width / 2, radius, 0, Math.PI, 2 * Math.PI);
  ctx.lineTo(x + width, y + height);
  ctx.closePath();
};

/** The picture, which lies on the canvas, seen through an arch in a sheet of paper. */
const cutArch = ({ ctx, widthPx, heightPx, unit, colours }: Sheet, box: Box): void => {
  const picture = createCanvas(widthPx, heightPx);
  picture.getContext("2d").drawImage(ctx.canvas, 0, 0);
  fillRound(ctx, colours.panel, { x: 0, y: 0, width: widthPx, height: heightPx });
  const scale = Math.max(box.width / widthPx, box.height / heightPx);
  const [width, height] = [widthPx * scale, heightPx * scale];
  ctx.save();
  traceArch(ctx, box);
  ctx.clip();
  ctx.drawImage(picture, box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height);
  ctx.restore();
  const gap = 18 * unit;
  traceArch(ctx, { x: box.x - gap, y: box.y - gap, width: box.width + 2 * gap, height: box.height + gap });
  ctx.strokeStyle = ruleColour(colours, colours.panel);
  ctx.lineWidth = Math.max(1, 4 * unit);
  ctx.stroke();
};

/** Beside one another on a flat picture, else one below the other. */
const roomsOf = ({ widthPx, heightPx, unit }: Sheet): { words: Box; isBeside: boolean } => {
  const edge = 80 * unit;
  const isBeside = widthPx > heightPx;
  const width = isBeside ? widthPx * 0.46 - edge : widthPx - 2 * edge;
  const height = isBeside ? heightPx - 2 * edge : heightPx * 0.34;
  return { words: { x: edge, y: edge, width, height }, isBeside };
};

/** Paper with an arch in it through which the picture shows, and words above it. */
export const arch: Template = (sheet) => {
  const { widthPx, heightPx, unit, colours } = sheet;
  const { words: room, isBeside } = roomsOf(sheet);
  const title = fitTitle(sheet, { widthPx: room.width, heightPx: room.height, largest: 128, linesMax: 4 });
  const signature = fitSignature(sheet, room.width, 35);
  const mark = { widthPx: room.width * 0.4, heightPx: 84 * unit };
  const above = sheet.logo ? logoSize(sheet, mark).height + 30 * unit : 0;
  const foot = signature ? signature.heightPx + 34 * unit : 0;
  const block = above + title.heightPx + foot;
  const top = isBeside ? (heightPx - block) / 2 : room.y + 6 * unit;
  const archTop = isBeside ? room.y : top + block + 70 * unit;
  const left = isBeside ? widthPx * 0.52 : widthPx * 0.13;
  cutArch(sheet, {
    x: left,
    y: archTop,
    width: isBeside ? widthPx * 0.48 - room.y : widthPx * 0.74,
    height: heightPx - archTop,
  });
  const middle = room.x + room.width / 2;
  drawLogo(sheet, { x: middle, y: top, ...mark, align: "center" });
  const align = "center" as const;
  const plate = colours.panel;
  const writings = [
    { words: title, place: { xPx: middle, topPx: top + above, align }, inks: inksOf(colours, "words"), plate },
  ];
  if (signature) {
    const topPx = top + above + title.heightPx + 30 * unit;
    writings.push({ words: signature, place: { xPx: middle, topPx, align }, inks: inksOf(colours, "accent"), plate });
  }
  return { writings };
};

/** Of the radius: the largest rectangle that words of this kind need, lower beneath a logo. */
const INNER = { width: 1.56, height: 1.02, belowLogo: 0.84 };
/** Of the radius: where the middle of the logo is, above that of the disc. */
const LOGO_RISE = 0.68;

/** A round sticker of the accent with a ring inside its edge. */
export const disc: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const radius = Math.min(widthPx * 0.41, heightPx * 0.44, ([...sheet.words].length > 16 ? 385 : 310) * unit);
  const edge = 62 * unit;
  const [x, y] = [widthPx / 2, Math.min(heightPx * 0.66, heightPx - radius - edge)];
  layPaper(sheet, () => {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = colours.accent;
    ctx.fill();
  });
  const inks = inksOf(colours, "panel");
  ctx.beginPath();
  ctx.arc(x, y, Math.max(0, radius - 18 * unit), 0, 2 * Math.PI);
  ctx.strokeStyle = colours.panel;
  ctx.lineWidth = Math.max(1, 3 * unit);
  ctx.stroke();
  const title = fitTitle(sheet, {
    widthPx: radius * INNER.width,
    heightPx: radius * (sheet.logo ? INNER.belowLogo : INNER.height),
    largest: 130,
    smallest: 34,
    linesMax: 5,
  });
  const signature = fitSignature(sheet, radius * 0.95, 28);
  const top = y - title.heightPx / 2 + (sheet.logo ? radius * 0.03 : -8 * unit);
  const mark = { widthPx: radius * 0.56, heightPx: radius * 0.25 };
  drawLogo(sheet, { x, y: y - radius * LOGO_RISE - logoSize(sheet, mark).height / 2, ...mark, align: "center" });
  const align = "center" as const;
  const plate = colours.accent;
  const writings = [{ words: title, place: { xPx: x, topPx: top, align }, inks, plate }];
  if (signature) {
    const topPx = Math.max(y + radius * 0.62, top + title.heightPx + 16 * unit);
    writings.push({ words: signature, place: { xPx: x, topPx, align }, inks, plate });
  }
  return { writings };
};

const strokeFrame = ({ ctx, widthPx, heightPx, unit }: Sheet, colour: string): void => {
  ctx.strokeStyle = colour;
  for (const [inset, line] of [
    [44, 7],
    [62, 2],
  ] as const) {
    ctx.lineWidth = Math.max(1, line * unit);
    const edge = inset * unit;
    ctx.strokeRect(edge, edge, widthPx - 2 * edge, heightPx - 2 * edge);
  }
};

/** What the picture is toned with, and what is written on that: the accent where it is dark enough to stay a colour. */
const tonesOf = (sheet: Sheet): [tone: string, ink: string] => {
  const { widthPx, heightPx, colours } = sheet;
  if (isLight(sheet, { x: 0, y: heightPx * 0.2, width: widthPx, height: heightPx * 0.6 })) {
    return [lightOf(colours), darkOf(colours)];
  }
  return [luminanceOf(colours.accent) < 0.1 ? colours.accent : darkOf(colours), lightOf(colours)];
};

/** Tones the whole picture, its middle the most: towards the edge it stays what it is. */
const paintTone = ({ ctx, widthPx, heightPx }: Sheet, tone: string, strength: number): void => {
  const reach = Math.hypot(widthPx, heightPx) / 2;
  const [x, y] = [widthPx / 2, heightPx / 2];
  const gradient = ctx.createRadialGradient(x, y, reach * 0.2, x, y, reach);
  gradient.addColorStop(0, withAlpha(tone, 0.3 + 0.66 * strength));
  gradient.addColorStop(0.5, withAlpha(tone, 0.28 + 0.64 * strength));
  gradient.addColorStop(1, withAlpha(tone, 0.16 + 0.4 * strength));
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, widthPx, heightPx);
};

/** A double line inside the edge, and words in the middle of the picture, which is toned as far as they need. */
export const frame: Template = (sheet) => {
  const { widthPx, heightPx, unit } = sheet;
  const inner = Math.min(widthPx - 260 * unit, 1_250 * unit);
  const title = fitTitle(sheet, { widthPx: inner, heightPx: heightPx * 0.5, largest: 150, linesMax: 6 });
  const signature = fitSignature(sheet, inner, 35);
  const room = { widthPx: inner * 0.5, heightPx: 104 * unit };
  const above = sheet.logo ? logoSize(sheet, room).height + 44 * unit : 0;
  const foot = signature ? signature.heightPx + 46 * unit : 0;
  const top = (heightPx - above - title.heightPx - foot) / 2;
  const middle = widthPx / 2;
  const [tone, ink] = tonesOf(sheet);
  const help = (strength: number) => {
    paintTone(sheet, tone, strength);
    strokeFrame(sheet, ink);
    drawLogo(sheet, { x: middle, y: top, ...room, align: "center" });
  };
  const align = "center" as const;
  const common = { inks: [ink], plate: tone };
  const writings = [{ words: title, place: { xPx: middle, topPx: top + above, align }, ...common }];
  if (signature) {
    const topPx = top + above + title.heightPx + 44 * unit;
    writings.push({ words: signature, place: { xPx: middle, topPx, align }, ...common });
  }
  return { writings, help };
};

/** Of the size: what a strip is longer than its line at either end, and the gap between two strips. */
const PAD = 0.3;

/** Each line on a strip of its own, as if cut from paper and glued on; the small line on one of the accent. */
export const strips: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const edge = 64 * unit;
  const inner = Math.min(widthPx - 2 * edge, 1_300 * unit);
  const loose = { ...sheet, pairing: { ...sheet.pairing, words: { ...sheet.pairing.words, leading: 1.42 } } };
  const title = fitTitle(loose, { widthPx: inner * 0.9, heightPx: heightPx * 0.48, largest: 118, linesMax: 5 });
  const signature = fitSignature(sheet, inner * 0.8, 35);
  const { sizePx } = title;
  const pad = sizePx * PAD;
  const foot = signature ? signature.heightPx + 52 * unit : 0;
  const top = heightPx - 120 * unit - foot - title.heightPx - pad;
  const rise = sizePx * (title.ascent - ASCENT);
  title.lines.forEach(({ widthPx: width }, row) => {
    const y = top + rise + row * sizePx * title.style.leading - sizePx * 0.23;
    const height = sizePx * (title.style.leading - 0.06);
    const box = { x: edge, y, width: width + 2 * pad, height };
    layPaper(sheet, () => fillRound(ctx, colours.panel, box, 4 * unit));
  });
  const room = { widthPx: inner * 0.4, heightPx: 96 * unit };
  drawLogo(sheet, { x: edge, y: 76 * unit, ...room, align: "left" });
  const align = "left" as const;
  const writings = [
    {
      words: title,
      place: { xPx: edge + pad, topPx: top, align },
      inks: inksOf(colours, "words"),
      plate: colours.panel,
    },
  ];
  if (signature) {
    const y = top + title.heightPx + sizePx * 0.16;
    const side = 22 * unit;
    const box = { x: edge, y, width: signature.widthPx + 2 * side, height: signature.heightPx + 26 * unit };
    layPaper(sheet, () => fillRound(ctx, colours.accent, box, 4 * unit));
    const place = { xPx: edge + side, topPx: y + 13 * unit, align };
    writings.push({ words: signature, place, inks: inksOf(colours, "panel"), plate: colours.accent });
  }
  return { writings };
};
