import "server-only";
import { ASCENT } from "../fit-words.ts";
import { drawLogo } from "./logo.ts";
import { fillRound, fitSignature, fitTitle, inksOf, layPaper, type Template } from "./sheet.ts";

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
