import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { luminanceOf } from "#lib/core/contrast.ts";
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
  type TemplateCanvas,
  withAlpha,
} from "./template-canvas.ts";
import { ASCENT } from "./text-fitting.ts";

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

const cutArch = ({ ctx, widthPx, heightPx, unit, colors }: TemplateCanvas, box: Box): void => {
  const image = createCanvas(widthPx, heightPx);
  image.getContext("2d").drawImage(ctx.canvas, 0, 0);
  fillRound(ctx, colors.panel, { x: 0, y: 0, width: widthPx, height: heightPx });
  const scale = Math.max(box.width / widthPx, box.height / heightPx);
  const [width, height] = [widthPx * scale, heightPx * scale];
  ctx.save();
  traceArch(ctx, box);
  ctx.clip();
  ctx.drawImage(image, box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height);
  ctx.restore();
  const gap = 18 * unit;
  traceArch(ctx, { x: box.x - gap, y: box.y - gap, width: box.width + 2 * gap, height: box.height + gap });
  ctx.strokeStyle = ruleColor(colors, colors.panel);
  ctx.lineWidth = Math.max(1, 4 * unit);
  ctx.stroke();
};

const layoutOf = ({ widthPx, heightPx, unit }: TemplateCanvas): { bounds: Box; isBeside: boolean } => {
  const edge = 80 * unit;
  const isBeside = widthPx > heightPx;
  const width = isBeside ? widthPx * 0.46 - edge : widthPx - 2 * edge;
  const height = isBeside ? heightPx - 2 * edge : heightPx * 0.34;
  return { bounds: { x: edge, y: edge, width, height }, isBeside };
};

export const arch: Template = (canvas) => {
  const { widthPx, heightPx, unit, colors } = canvas;
  const { bounds, isBeside } = layoutOf(canvas);
  const title = fitTitle(canvas, { widthPx: bounds.width, heightPx: bounds.height, largest: 128, linesMax: 4 });
  const signature = fitSignature(canvas, bounds.width, 35);
  const logoBounds = { widthPx: bounds.width * 0.4, heightPx: 84 * unit };
  const above = canvas.logo ? logoSize(canvas, logoBounds).height + 30 * unit : 0;
  const foot = signature ? signature.heightPx + 34 * unit : 0;
  const block = above + title.heightPx + foot;
  const top = isBeside ? (heightPx - block) / 2 : bounds.y + 6 * unit;
  const archTop = isBeside ? bounds.y : top + block + 70 * unit;
  const left = isBeside ? widthPx * 0.52 : widthPx * 0.13;
  cutArch(canvas, {
    x: left,
    y: archTop,
    width: isBeside ? widthPx * 0.48 - bounds.y : widthPx * 0.74,
    height: heightPx - archTop,
  });
  const middle = bounds.x + bounds.width / 2;
  drawLogo(canvas, { x: middle, y: top, ...logoBounds, align: "center" });
  const align = "center" as const;
  const plate = colors.panel;
  const textBlocks = [
    { text: title, position: { xPx: middle, topPx: top + above, align }, inks: inksOf(colors, "words"), plate },
  ];
  if (signature) {
    const topPx = top + above + title.heightPx + 30 * unit;
    textBlocks.push({
      text: signature,
      position: { xPx: middle, topPx, align },
      inks: inksOf(colors, "accent"),
      plate,
    });
  }
  return { textBlocks };
};

/** The text's rectangle, as shares of the radius; lower below a logo. */
const INNER = { width: 1.56, height: 1.02, belowLogo: 0.84 };
/** How far the logo's center is above the disc's, as a share of the radius. */
const LOGO_RISE = 0.68;

export const disc: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const radius = Math.min(widthPx * 0.41, heightPx * 0.44, ([...canvas.text].length > 16 ? 385 : 310) * unit);
  const edge = 62 * unit;
  const [x, y] = [widthPx / 2, Math.min(heightPx * 0.66, heightPx - radius - edge)];
  drawWithShadow(canvas, () => {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = colors.accent;
    ctx.fill();
  });
  const inks = inksOf(colors, "panel");
  ctx.beginPath();
  ctx.arc(x, y, Math.max(0, radius - 18 * unit), 0, 2 * Math.PI);
  ctx.strokeStyle = colors.panel;
  ctx.lineWidth = Math.max(1, 3 * unit);
  ctx.stroke();
  const title = fitTitle(canvas, {
    widthPx: radius * INNER.width,
    heightPx: radius * (canvas.logo ? INNER.belowLogo : INNER.height),
    largest: 130,
    smallest: 34,
    linesMax: 5,
  });
  const signature = fitSignature(canvas, radius * 0.95, 28);
  const top = y - title.heightPx / 2 + (canvas.logo ? radius * 0.03 : -8 * unit);
  const logoBounds = { widthPx: radius * 0.56, heightPx: radius * 0.25 };
  drawLogo(canvas, {
    x,
    y: y - radius * LOGO_RISE - logoSize(canvas, logoBounds).height / 2,
    ...logoBounds,
    align: "center",
  });
  const align = "center" as const;
  const plate = colors.accent;
  const textBlocks = [{ text: title, position: { xPx: x, topPx: top, align }, inks, plate }];
  if (signature) {
    const topPx = Math.max(y + radius * 0.62, top + title.heightPx + 16 * unit);
    textBlocks.push({ text: signature, position: { xPx: x, topPx, align }, inks, plate });
  }
  return { textBlocks };
};

const strokeFrame = ({ ctx, widthPx, heightPx, unit }: TemplateCanvas, color: string): void => {
  ctx.strokeStyle = color;
  for (const [inset, line] of [
    [44, 7],
    [62, 2],
  ] as const) {
    ctx.lineWidth = Math.max(1, line * unit);
    const edge = inset * unit;
    ctx.strokeRect(edge, edge, widthPx - 2 * edge, heightPx - 2 * edge);
  }
};

const tonesOf = (canvas: TemplateCanvas): [tone: string, ink: string] => {
  const { widthPx, heightPx, colors } = canvas;
  if (isLight(canvas, { x: 0, y: heightPx * 0.2, width: widthPx, height: heightPx * 0.6 })) {
    return [lightOf(colors), darkOf(colors)];
  }
  return [luminanceOf(colors.accent) < 0.1 ? colors.accent : darkOf(colors), lightOf(colors)];
};

const paintTone = ({ ctx, widthPx, heightPx }: TemplateCanvas, tone: string, strength: number): void => {
  const reach = Math.hypot(widthPx, heightPx) / 2;
  const [x, y] = [widthPx / 2, heightPx / 2];
  const gradient = ctx.createRadialGradient(x, y, reach * 0.2, x, y, reach);
  gradient.addColorStop(0, withAlpha(tone, 0.3 + 0.66 * strength));
  gradient.addColorStop(0.5, withAlpha(tone, 0.28 + 0.64 * strength));
  gradient.addColorStop(1, withAlpha(tone, 0.16 + 0.4 * strength));
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, widthPx, heightPx);
};

/** A double border, with text in the middle of the image, which is tinted as much as the text needs. */
export const frame: Template = (canvas) => {
  const { widthPx, heightPx, unit } = canvas;
  const inner = Math.min(widthPx - 260 * unit, 1_250 * unit);
  const title = fitTitle(canvas, { widthPx: inner, heightPx: heightPx * 0.5, largest: 150, linesMax: 6 });
  const signature = fitSignature(canvas, inner, 35);
  const bounds = { widthPx: inner * 0.5, heightPx: 104 * unit };
  const above = canvas.logo ? logoSize(canvas, bounds).height + 44 * unit : 0;
  const foot = signature ? signature.heightPx + 46 * unit : 0;
  const top = (heightPx - above - title.heightPx - foot) / 2;
  const middle = widthPx / 2;
  const [tone, ink] = tonesOf(canvas);
  const underlay = (strength: number) => {
    paintTone(canvas, tone, strength);
    strokeFrame(canvas, ink);
    drawLogo(canvas, { x: middle, y: top, ...bounds, align: "center" });
  };
  const align = "center" as const;
  const common = { inks: [ink], plate: tone };
  const textBlocks = [{ text: title, position: { xPx: middle, topPx: top + above, align }, ...common }];
  if (signature) {
    const topPx = top + above + title.heightPx + 44 * unit;
    textBlocks.push({ text: signature, position: { xPx: middle, topPx, align }, ...common });
  }
  return { textBlocks, underlay };
};

/** Padding at both ends of a strip, as a share of the font size. */
const PAD = 0.3;

export const strips: Template = (canvas) => {
  const { ctx, widthPx, heightPx, unit, colors } = canvas;
  const edge = 64 * unit;
  const inner = Math.min(widthPx - 2 * edge, 1_300 * unit);
  const loose = { ...canvas, pairing: { ...canvas.pairing, text: { ...canvas.pairing.text, leading: 1.42 } } };
  const title = fitTitle(loose, { widthPx: inner * 0.9, heightPx: heightPx * 0.48, largest: 118, linesMax: 5 });
  const signature = fitSignature(canvas, inner * 0.8, 35);
  const { sizePx } = title;
  const pad = sizePx * PAD;
  const foot = signature ? signature.heightPx + 52 * unit : 0;
  const top = heightPx - 120 * unit - foot - title.heightPx - pad;
  const rise = sizePx * (title.ascent - ASCENT);
  title.lines.forEach(({ widthPx: width }, row) => {
    const y = top + rise + row * sizePx * title.style.leading - sizePx * 0.23;
    const height = sizePx * (title.style.leading - 0.06);
    const box = { x: edge, y, width: width + 2 * pad, height };
    drawWithShadow(canvas, () => fillRound(ctx, colors.panel, box, 4 * unit));
  });
  const bounds = { widthPx: inner * 0.4, heightPx: 96 * unit };
  drawLogo(canvas, { x: edge, y: 76 * unit, ...bounds, align: "left" });
  const align = "left" as const;
  const textBlocks = [
    {
      text: title,
      position: { xPx: edge + pad, topPx: top, align },
      inks: inksOf(colors, "words"),
      plate: colors.panel,
    },
  ];
  if (signature) {
    const y = top + title.heightPx + sizePx * 0.16;
    const side = 22 * unit;
    const box = { x: edge, y, width: signature.widthPx + 2 * side, height: signature.heightPx + 26 * unit };
    drawWithShadow(canvas, () => fillRound(ctx, colors.accent, box, 4 * unit));
    const position = { xPx: edge + side, topPx: y + 13 * unit, align };
    textBlocks.push({ text: signature, position, inks: inksOf(colors, "panel"), plate: colors.accent });
  }
  return { textBlocks };
};
