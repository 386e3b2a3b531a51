import "server-only";
import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";

/** Colours of the look on paper, as its style sheets have them (app/styles/scales.css). */
export const COLORS = {
  page: "#faf7f1",
  board: "#eee8dc",
  weave: "rgba(25, 37, 30, 0.035)",
  edge: "rgba(25, 37, 30, 0.1)",
  ink: "#19251e",
  quiet: "#464e46",
  accent: "#1c543a",
  thread: "#2a704f",
  tack: "#2a704f",
  tackLight: "#9fc4b0",
  tackDark: "#1b4a34",
  iconGround: "#13402c",
  iconMark: "#faf7f1",
} as const;

/** The mark on a plane of 24 by 24: a fir whose trunk is the needle of a tack. */
const MARK =
  "M12 .9c.36 0 .69.18.88.49l4.05 6.35c.3.47-.04 1.08-.6 1.08h-.9l3.62 5.72c.46.72-.06 1.66-.91 1.66h-5.03l-.62 6.13c-.03.28-.23.47-.49.47s-.46-.19-.49-.47l-.62-6.13H5.86c-.85 0-1.37-.94-.91-1.66l3.62-5.72h-.9c-.56 0-.9-.61-.6-1.08l4.05-6.35c.19-.31.52-.49.88-.49Z";

/** Draws the mark in a square. */
export const drawMark = (
  ctx: SKRSContext2D,
  { xPx, yPx, sizePx, fill }: { xPx: number; yPx: number; sizePx: number; fill: string },
): void => {
  ctx.save();
  ctx.translate(xPx, yPx);
  ctx.scale(sizePx / 24, sizePx / 24);
  ctx.fillStyle = fill;
  ctx.fill(new Path2D(MARK));
  ctx.restore();
};
