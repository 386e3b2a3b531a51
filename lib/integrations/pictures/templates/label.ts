import "server-only";
import { drawLogo, logoSize } from "./logo.ts";
import { fillRound, fitSignature, fitTitle, inksOf, layPaper, ruleColour, type Template } from "./sheet.ts";

const RULE = { width: 84, height: 5 };

/** A label glued on the middle of the picture, with a hairline along its edge. */
export const label: Template = (sheet) => {
  const { ctx, widthPx, heightPx, unit, colours } = sheet;
  const width = Math.min(widthPx * 0.8, 800 * unit);
  const inner = width - 150 * unit;
  const title = fitTitle(sheet, { widthPx: inner, heightPx: heightPx * 0.42, largest: 124, linesMax: 5 });
  const signature = fitSignature(sheet, inner, 35);
  const logo = logoSize(sheet, { widthPx: inner * 0.6, heightPx: 92 * unit });
  const top = { logo: sheet.logo ? logo.height + 34 * unit : 0, foot: signature ? 74 * unit + signature.heightPx : 0 };
  const height = 2 * 78 * unit + top.logo + title.heightPx + top.foot;
  const y = (heightPx - height) / 2;
  const x = (widthPx - width) / 2;
  layPaper(sheet, () => fillRound(ctx, colours.panel, { x, y, width, height }, 6 * unit));
  const rule = ruleColour(colours, colours.panel);
  const inset = 20 * unit;
  ctx.strokeStyle = rule;
  ctx.lineWidth = Math.max(1, 2.5 * unit);
  ctx.strokeRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
  const middle = widthPx / 2;
  drawLogo(sheet, {
    x: middle,
    y: y + 78 * unit,
    widthPx: inner * 0.6,
    heightPx: 92 * unit,
    align: "center",
  });
  const titleTop = y + 78 * unit + top.logo;
  const below = titleTop + title.heightPx;
  const plate = colours.panel;
  const writings = [
    {
      words: title,
      place: { xPx: middle, topPx: titleTop, align: "center" as const },
      inks: inksOf(colours, "words"),
      plate,
    },
  ];
  if (signature) {
    const [w, h] = [RULE.width * unit, RULE.height * unit];
    fillRound(ctx, rule, { x: middle - w / 2, y: below + 32 * unit, width: w, height: h });
    const place = { xPx: middle, topPx: below + 70 * unit, align: "center" as const };
    writings.push({ words: signature, place, inks: inksOf(colours, "words"), plate });
  }
  return { writings };
};
