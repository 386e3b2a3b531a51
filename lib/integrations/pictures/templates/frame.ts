import "server-only";
import { luminanceOf } from "#lib/core/contrast.ts";
import { drawLogo, logoSize } from "./logo.ts";
import { darkOf, fitSignature, fitTitle, isLight, lightOf, type Sheet, type Template, withAlpha } from "./sheet.ts";

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
