import "server-only";
import { drawLogo } from "./logo.ts";
import { darkOf, fillRound, fitSignature, fitTitle, isLight, lightOf, type Template, withAlpha } from "./sheet.ts";

/** How strong the veil is where the picture alone would do: words on a bare picture look forgotten there. */
const LEAST = 0.5;
/** Where the veil begins (0), reaches the words (1) and ends, eased: no edge shows. */
const STOPS = [0, 0.02, 0.09, 0.22, 0.42, 0.64, 0.84, 0.96, 1];

/** Large words at the foot on the picture itself, which fades towards them: into dark, or into light where it is light. */
export const veil: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const edge = 76 * unit;
  const inner = Math.min(widthPx - 2 * edge, 1_300 * unit);
  const title = fitTitle(sheet, { widthPx: inner, heightPx: heightPx * 0.44, largest: 148, linesMax: 5 });
  const signature = fitSignature(sheet, inner, 35);
  const foot = signature ? signature.heightPx + 44 * unit : 0;
  const top = heightPx - 88 * unit - foot - title.heightPx;
  const room = { widthPx: inner * 0.4, heightPx: 96 * unit };
  const below = isLight(sheet, { x: 0, y: top, width: widthPx, height: heightPx - top });
  const [shade, ink] = below ? [lightOf(colours), darkOf(colours)] : [darkOf(colours), lightOf(colours)];
  drawLogo(sheet, { x: edge, y: 80 * unit, ...room, align: "left" });
  const help = (strength: number) => {
    const alpha = LEAST + (1 - LEAST) * strength;
    const start = Math.max(0, top - heightPx * 0.17);
    const gradient = ctx.createLinearGradient(0, start, 0, heightPx);
    const full = (top - start) / Math.max(1, heightPx - start);
    STOPS.forEach((share, step) => {
      gradient.addColorStop((full * step) / (STOPS.length - 1), withAlpha(shade, alpha * share));
    });
    gradient.addColorStop(1, withAlpha(shade, alpha + 0.12));
    ctx.fillStyle = gradient;
    ctx.fillRect(0, start, widthPx, heightPx - start);
    fillRound(ctx, ink, { x: edge, y: top - 40 * unit, width: 110 * unit, height: 8 * unit });
  };
  const align = "left" as const;
  const common = { inks: [ink], plate: shade };
  const writings = [{ words: title, place: { xPx: edge, topPx: top, align }, ...common }];
  if (signature) {
    const topPx = top + title.heightPx + 40 * unit;
    writings.push({ words: signature, place: { xPx: edge, topPx, align }, ...common });
  }
  return { writings, help };
};
