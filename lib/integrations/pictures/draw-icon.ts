import "server-only";
import { createCanvas } from "@napi-rs/canvas";
import { COLORS, drawMark } from "./look.ts";
import type { AppIcon, PicturesPort } from "./port.ts";

/** Of the side: the look's round corner, and how large the mark is. */
const CORNER = 0.25;
const MARK_SHARE = { any: 0.66, maskable: 0.5 } as const;

/** The mark in paper on deep green. */
export const drawIcon: PicturesPort["drawIcon"] = async ({ sizePx, purpose }: AppIcon) => {
  const canvas = createCanvas(sizePx, sizePx);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = COLORS.iconGround;
  ctx.beginPath();
  if (purpose === "any") ctx.roundRect(0, 0, sizePx, sizePx, sizePx * CORNER);
  else ctx.rect(0, 0, sizePx, sizePx);
  ctx.fill();
  const markPx = sizePx * MARK_SHARE[purpose];
  const edgePx = (sizePx - markPx) / 2;
  drawMark(ctx, { xPx: edgePx, yPx: edgePx, sizePx: markPx, fill: COLORS.iconMark });
  return canvas.encode("png");
};
