import "server-only";
import { drawLogo, logoSize } from "./logo.ts";
import { fillRound, fitSignature, fitTitle, inksOf, ruleColour, type Template } from "./sheet.ts";

/** A band across the whole width, below the middle, between two strips of the accent. */
export const band: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const inner = Math.min(widthPx - 130 * unit, 1_500 * unit);
  const title = fitTitle(sheet, { widthPx: inner, heightPx: heightPx * 0.36, largest: 138, linesMax: 4 });
  const signature = fitSignature(sheet, inner, 35);
  const logo = logoSize(sheet, { widthPx: inner * 0.5, heightPx: 84 * unit });
  const above = sheet.logo ? logo.height + 30 * unit : 0;
  const below = signature ? signature.heightPx + 36 * unit : 0;
  const height = 2 * 66 * unit + above + title.heightPx + below;
  const y = Math.max(0, Math.min(heightPx * 0.62 - height / 2, heightPx * 0.94 - height));
  fillRound(ctx, colours.panel, { x: 0, y, width: widthPx, height });
  const rule = ruleColour(colours, colours.panel);
  const [strip, gap] = [Math.max(1, 6 * unit), 13 * unit];
  for (const at of [y + gap, y + height - gap - strip]) {
    fillRound(ctx, rule, { x: 0, y: at, width: widthPx, height: strip });
  }
  const middle = widthPx / 2;
  const place = { x: middle, y: y + 66 * unit, widthPx: inner * 0.5, heightPx: 84 * unit };
  drawLogo(sheet, { ...place, align: "center" });
  const titleTop = y + 66 * unit + above;
  const align = "center" as const;
  const common = { inks: inksOf(colours, "words"), plate: colours.panel };
  const writings = [{ words: title, place: { xPx: middle, topPx: titleTop, align }, ...common }];
  if (signature) {
    const topPx = titleTop + title.heightPx + 32 * unit;
    const inks = inksOf(colours, "accent");
    writings.push({ words: signature, place: { xPx: middle, topPx, align }, ...common, inks });
  }
  return { writings };
};
