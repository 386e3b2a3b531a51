import "server-only";
import { drawLogo, logoSize } from "./logo.ts";
import { fillRound, fitSignature, fitTitle, inksOf, ruleColour, type Template } from "./sheet.ts";

/** The foot of the picture is paper: words at the left, the small line below them, the logo at the right. */
export const slip: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const edge = 72 * unit;
  const inner = widthPx - 2 * edge;
  const logo = logoSize(sheet, { widthPx: inner * 0.3, heightPx: 88 * unit });
  const title = fitTitle(sheet, { widthPx: inner, heightPx: heightPx * 0.34, largest: 112, linesMax: 4 });
  const beside = sheet.logo ? logo.width + 30 * unit : 0;
  const signature = fitSignature(sheet, inner - beside, 35);
  const foot = Math.max(signature?.heightPx ?? 0, logo.height);
  const height = 62 * unit + title.heightPx + (foot > 0 ? 38 * unit + foot : 0) + 58 * unit;
  const y = heightPx - height;
  fillRound(ctx, colours.panel, { x: 0, y, width: widthPx, height });
  fillRound(ctx, ruleColour(colours, colours.panel), {
    x: edge,
    y: y - 5 * unit,
    width: 150 * unit,
    height: 10 * unit,
  });
  const footTop = y + 62 * unit + title.heightPx + 38 * unit;
  const logoTop = footTop + (foot - logo.height) / 2;
  const room = { widthPx: inner * 0.3, heightPx: 88 * unit };
  drawLogo(sheet, { x: widthPx - edge, y: logoTop, ...room, align: "right" });
  const align = "left" as const;
  const plate = colours.panel;
  const writings = [
    { words: title, place: { xPx: edge, topPx: y + 62 * unit, align }, inks: inksOf(colours, "words"), plate },
  ];
  if (signature) {
    const topPx = footTop + (foot - signature.heightPx) / 2;
    writings.push({ words: signature, place: { xPx: edge, topPx, align }, inks: inksOf(colours, "accent"), plate });
  }
  return { writings };
};
