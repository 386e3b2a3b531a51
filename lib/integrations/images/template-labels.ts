import "server-only";
import {
  darkOf,
  drawLogo,
  drawWithShadow,
  fillRound,
  fitSignature,
  fitTitle,
  inksOf,
  isLight,
  lightOf,
  logoSize,
  ruleColor,
  type Template,
  withAlpha,
} from "./template-canvas.ts";

export const band: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const inner = Math.min(widthPx - 130 * unit, 1_500 * unit);
  const title = fitTitle(canvas, { widthPx: inner, heightPx: heightPx * 0.36, largest: 138, linesMax: 4 });
  const signature = fitSignature(canvas, inner, 35);
  const logo = logoSize(canvas, { widthPx: inner * 0.5, heightPx: 84 * unit });
  const above = canvas.logo ? logo.height + 30 * unit : 0;
  const below = signature ? signature.heightPx + 36 * unit : 0;
  const height = 2 * 66 * unit + above + title.heightPx + below;
  const y = Math.max(0, Math.min(heightPx * 0.62 - height / 2, heightPx * 0.94 - height));
  fillRound(ctx, colors.panel, { x: 0, y, width: widthPx, height });
  const rule = ruleColor(colors, colors.panel);
  const [strip, gap] = [Math.max(1, 6 * unit), 13 * unit];
  for (const at of [y + gap, y + height - gap - strip]) {
    fillRound(ctx, rule, { x: 0, y: at, width: widthPx, height: strip });
  }
  const middle = widthPx / 2;
  const position = { x: middle, y: y + 66 * unit, widthPx: inner * 0.5, heightPx: 84 * unit };
  drawLogo(canvas, { ...position, align: "center" });
  const titleTop = y + 66 * unit + above;
  const align = "center" as const;
  const common = { inks: inksOf(colors, "words"), plate: colors.panel };
  const textBlocks = [{ text: title, position: { xPx: middle, topPx: titleTop, align }, ...common }];
  if (signature) {
    const topPx = titleTop + title.heightPx + 32 * unit;
    const inks = inksOf(colors, "accent");
    textBlocks.push({ text: signature, position: { xPx: middle, topPx, align }, ...common, inks });
  }
  return { textBlocks };
};

const RULE = { width: 84, height: 5 };

export const label: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const width = Math.min(widthPx * 0.8, 800 * unit);
  const inner = width - 150 * unit;
  const title = fitTitle(canvas, { widthPx: inner, heightPx: heightPx * 0.42, largest: 124, linesMax: 5 });
  const signature = fitSignature(canvas, inner, 35);
  const logo = logoSize(canvas, { widthPx: inner * 0.6, heightPx: 92 * unit });
  const top = { logo: canvas.logo ? logo.height + 34 * unit : 0, foot: signature ? 74 * unit + signature.heightPx : 0 };
  const height = 2 * 78 * unit + top.logo + title.heightPx + top.foot;
  const y = (heightPx - height) / 2;
  const x = (widthPx - width) / 2;
  drawWithShadow(canvas, () => fillRound(ctx, colors.panel, { x, y, width, height }, 6 * unit));
  const rule = ruleColor(colors, colors.panel);
  const inset = 20 * unit;
  ctx.strokeStyle = rule;
  ctx.lineWidth = Math.max(1, 2.5 * unit);
  ctx.strokeRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
  const middle = widthPx / 2;
  drawLogo(canvas, {
    x: middle,
    y: y + 78 * unit,
    widthPx: inner * 0.6,
    heightPx: 92 * unit,
    align: "center",
  });
  const titleTop = y + 78 * unit + top.logo;
  const below = titleTop + title.heightPx;
  const plate = colors.panel;
  const textBlocks = [
    {
      text: title,
      position: { xPx: middle, topPx: titleTop, align: "center" as const },
      inks: inksOf(colors, "words"),
      plate,
    },
  ];
  if (signature) {
    const [w, h] = [RULE.width * unit, RULE.height * unit];
    fillRound(ctx, rule, { x: middle - w / 2, y: below + 32 * unit, width: w, height: h });
    const position = { xPx: middle, topPx: below + 70 * unit, align: "center" as const };
    textBlocks.push({ text: signature, position, inks: inksOf(colors, "words"), plate });
  }
  return { textBlocks };
};

export const caption: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const edge = 72 * unit;
  const inner = widthPx - 2 * edge;
  const logo = logoSize(canvas, { widthPx: inner * 0.3, heightPx: 88 * unit });
  const title = fitTitle(canvas, { widthPx: inner, heightPx: heightPx * 0.34, largest: 112, linesMax: 4 });
  const beside = canvas.logo ? logo.width + 30 * unit : 0;
  const signature = fitSignature(canvas, inner - beside, 35);
  const foot = Math.max(signature?.heightPx ?? 0, logo.height);
  const height = 62 * unit + title.heightPx + (foot > 0 ? 38 * unit + foot : 0) + 58 * unit;
  const y = heightPx - height;
  fillRound(ctx, colors.panel, { x: 0, y, width: widthPx, height });
  fillRound(ctx, ruleColor(colors, colors.panel), {
    x: edge,
    y: y - 5 * unit,
    width: 150 * unit,
    height: 10 * unit,
  });
  const footTop = y + 62 * unit + title.heightPx + 38 * unit;
  const logoTop = footTop + (foot - logo.height) / 2;
  const bounds = { widthPx: inner * 0.3, heightPx: 88 * unit };
  drawLogo(canvas, { x: widthPx - edge, y: logoTop, ...bounds, align: "right" });
  const align = "left" as const;
  const plate = colors.panel;
  const textBlocks = [
    { text: title, position: { xPx: edge, topPx: y + 62 * unit, align }, inks: inksOf(colors, "words"), plate },
  ];
  if (signature) {
    const topPx = footTop + (foot - signature.heightPx) / 2;
    textBlocks.push({ text: signature, position: { xPx: edge, topPx, align }, inks: inksOf(colors, "accent"), plate });
  }
  return { textBlocks };
};

/** The veil's minimum strength, which it has even when the image alone would be legible. */
const MIN_STRENGTH = 0.5;
/** Eased from the start of the veil (0) to the text (1), so that no edge shows. */
const STOPS = [0, 0.02, 0.09, 0.22, 0.42, 0.64, 0.84, 0.96, 1];

/** Large text at the bottom of the image, which fades to dark there, or to light if it is light. */
export const veil: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const edge = 76 * unit;
  const inner = Math.min(widthPx - 2 * edge, 1_300 * unit);
  const title = fitTitle(canvas, { widthPx: inner, heightPx: heightPx * 0.44, largest: 148, linesMax: 5 });
  const signature = fitSignature(canvas, inner, 35);
  const foot = signature ? signature.heightPx + 44 * unit : 0;
  const top = heightPx - 88 * unit - foot - title.heightPx;
  const bounds = { widthPx: inner * 0.4, heightPx: 96 * unit };
  const below = isLight(canvas, { x: 0, y: top, width: widthPx, height: heightPx - top });
  const [shade, ink] = below ? [lightOf(colors), darkOf(colors)] : [darkOf(colors), lightOf(colors)];
  drawLogo(canvas, { x: edge, y: 80 * unit, ...bounds, align: "left" });
  const underlay = (strength: number) => {
    const alpha = MIN_STRENGTH + (1 - MIN_STRENGTH) * strength;
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
  const textBlocks = [{ text: title, position: { xPx: edge, topPx: top, align }, ...common }];
  if (signature) {
    const topPx = top + title.heightPx + 40 * unit;
    textBlocks.push({ text: signature, position: { xPx: edge, topPx, align }, ...common });
  }
  return { textBlocks, underlay };
};
