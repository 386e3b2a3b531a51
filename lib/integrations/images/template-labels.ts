import "server-only";
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
  type Template,
  withAlpha,
} from "./template-sheet.ts";

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
