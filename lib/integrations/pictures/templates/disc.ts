import "server-only";
import { drawLogo, logoSize } from "./logo.ts";
import { fitSignature, fitTitle, inksOf, layPaper, type Template } from "./sheet.ts";

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
