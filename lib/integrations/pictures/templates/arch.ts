import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { drawLogo, logoSize } from "./logo.ts";
import { fillRound, fitSignature, fitTitle, inksOf, ruleColour, type Sheet, type Template } from "./sheet.ts";

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
