import "server-only";
import { createCanvas, type Image, type SKRSContext2D } from "@napi-rs/canvas";
import { contrastOfLuminances, luminanceOfParts } from "#lib/core/contrast.ts";
import { fillRound, type Sheet } from "./sheet.ts";

/** Where a logo may stand, at most so large; `align` says which of its edges lies on `x`. */
export interface LogoPlace {
  x: number;
  y: number;
  widthPx: number;
  heightPx: number;
  align: "left" | "center" | "right";
}

const PROBE_PX = 32;
/** Less than this between logo and ground, and it gets a plate of its own. */
const LOGO_CONTRAST = 2;
/** Of its shorter side: how far the logo stays from the edge of that plate. */
const PLATE_PAD = 0.14;

/** Mean luminance of the pixels that can be seen. */
const meanLuminance = (ctx: SKRSContext2D): number => {
  const { data } = ctx.getImageData(0, 0, PROBE_PX, PROBE_PX);
  let [sum, weight] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    sum += alpha * luminanceOfParts(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    weight += alpha;
  }
  return weight === 0 ? 1 : sum / weight;
};

type Box = { x: number; y: number; width: number; height: number };

const luminanceOfLogo = (logo: Image): number => {
  const probe = createCanvas(PROBE_PX, PROBE_PX).getContext("2d");
  probe.drawImage(logo, 0, 0, PROBE_PX, PROBE_PX);
  return meanLuminance(probe);
};

const luminanceBelow = (ctx: SKRSContext2D, { x, y, width, height }: Box): number => {
  const probe = createCanvas(PROBE_PX, PROBE_PX).getContext("2d");
  probe.drawImage(ctx.canvas, x, y, width, height, 0, 0, PROBE_PX, PROBE_PX);
  return meanLuminance(probe);
};

/** Size of a logo within a room, in its own shape. */
export const logoSize = ({ logo }: Sheet, room: { widthPx: number; heightPx: number }) => {
  if (!logo) return { width: 0, height: 0 };
  const scale = Math.min(room.widthPx / logo.width, room.heightPx / logo.height);
  return { width: logo.width * scale, height: logo.height * scale };
};

/** Draws the logo in its place, a little smaller on a plate of its own where it would be lost. Nothing without one. */
export const drawLogo = (sheet: Sheet, place: LogoPlace): void => {
  const { ctx, logo, unit } = sheet;
  if (!logo) return;
  const { width, height } = logoSize(sheet, place);
  const shift = { left: 0, center: width / 2, right: width }[place.align];
  const box = { x: place.x - shift, y: place.y, width, height };
  const own = luminanceOfLogo(logo);
  const isLost = contrastOfLuminances(own, luminanceBelow(ctx, box)) < LOGO_CONTRAST;
  if (isLost) fillRound(ctx, own > 0.3 ? "#141c17" : "#fffdf8", box, Math.min(10 * unit, height * 0.2));
  const pad = isLost ? Math.min(width, height) * PLATE_PAD : 0;
  ctx.drawImage(logo, box.x + pad, box.y + pad, width - 2 * pad, height - 2 * pad);
};
