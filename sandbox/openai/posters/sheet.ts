import type { SKRSContext2D } from "@napi-rs/canvas";
import { Path2D } from "@napi-rs/canvas";

/** The size every direction is designed at; other sizes show more of the same scene. */
export const DESIGN = { width: 1024, height: 1536 } as const;

/** The visible part of the design plane. At 2:3 it is exactly the design; else it reaches beyond it. */
export type Frame = { left: number; top: number; right: number; bottom: number };

/** What a direction draws on: a context already scaled to design units, and its frame. */
export type Sheet = { ctx: SKRSContext2D; frame: Frame };

export type Point = readonly [x: number, y: number];

/** The frame of a picture of this pixel size, and the scale from design units to pixels. */
export function frameOf(widthPx: number, heightPx: number): { frame: Frame; scale: number } {
  const scale = Math.min(widthPx / DESIGN.width, heightPx / DESIGN.height);
  const beside = (widthPx / scale - DESIGN.width) / 2;
  const beyond = (heightPx / scale - DESIGN.height) / 2;
  const frame = { left: -beside, top: -beyond, right: DESIGN.width + beside, bottom: DESIGN.height + beyond };
  return { frame, scale };
}

/** Fills the rectangle between two corners; a hair of overlap hides seams between neighbours. */
export function fillBox({ ctx }: Sheet, from: Point, to: Point, fill: string, alpha = 1): void {
  ctx.globalAlpha = alpha;
  ctx.fillStyle = fill;
  ctx.fillRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
  ctx.globalAlpha = 1;
}

/** Covers the whole frame. */
export function fillGround(sheet: Sheet, fill: string): void {
  const { left, top, right, bottom } = sheet.frame;
  fillBox(sheet, [left - 1, top - 1], [right + 1, bottom + 1], fill);
}

/** Fills an SVG path. */
export function fillPath({ ctx }: Sheet, path: string, fill: string, alpha = 1): void {
  ctx.globalAlpha = alpha;
  ctx.fillStyle = fill;
  ctx.fill(new Path2D(path));
  ctx.globalAlpha = 1;
}

/** Draws an SVG path as a line with round ends and joins. */
export function strokePath({ ctx }: Sheet, path: string, stroke: string, width: number, alpha = 1): void {
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = stroke;
  ctx.lineWidth = width;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  ctx.stroke(new Path2D(path));
  ctx.globalAlpha = 1;
}

/** Fills a disc. */
export function fillDisc({ ctx }: Sheet, [x, y]: Point, radius: number, fill: string, alpha = 1): void {
  ctx.globalAlpha = alpha;
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** Fills an axis-parallel ellipse. */
export function fillEllipse({ ctx }: Sheet, [x, y]: Point, [rx, ry]: Point, fill: string, alpha = 1): void {
  ctx.globalAlpha = alpha;
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** Runs `draw` with the plane moved and turned (degrees), then restores it. */
export function turned({ ctx }: Sheet, [x, y]: Point, degrees: number, draw: () => void): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate((degrees * Math.PI) / 180);
  draw();
  ctx.restore();
}

/** Runs `draw` so that nothing shows outside an SVG path. */
export function clippedTo({ ctx }: Sheet, path: string, draw: () => void): void {
  ctx.save();
  ctx.clip(new Path2D(path));
  draw();
  ctx.restore();
}

/** Runs `draw` mirrored left to right about the middle of the design. */
export function mirrored({ ctx }: Sheet, isMirrored: boolean, draw: () => void): void {
  ctx.save();
  if (isMirrored) {
    ctx.translate(DESIGN.width, 0);
    ctx.scale(-1, 1);
  }
  draw();
  ctx.restore();
}
