import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Canvas, createCanvas, loadImage, Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import { fitHeadline, registerFaces, setFace, writeHeadline } from "./fonts.ts";
import type { AppIcon, ImagesPort, ShareImage } from "./port.ts";

/** Must match app/styles/scales.css. */
const COLORS = {
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

/** The product's mark, on a 24 by 24 grid: a fir whose trunk is the point of a tack. */
const MARK =
  "M12 .9c.36 0 .69.18.88.49l4.05 6.35c.3.47-.04 1.08-.6 1.08h-.9l3.62 5.72c.46.72-.06 1.66-.91 1.66h-5.03l-.62 6.13c-.03.28-.23.47-.49.47s-.46-.19-.49-.47l-.62-6.13H5.86c-.85 0-1.37-.94-.91-1.66l3.62-5.72h-.9c-.56 0-.9-.61-.6-1.08l4.05-6.35c.19-.31.52-.49.88-.49Z";

const drawMark = (
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

/** Corner radius and size of the mark, as shares of the icon's size. */
const CORNER = 0.25;
const MARK_SHARE = { any: 0.66, maskable: 0.5 } as const;

export const drawIcon: ImagesPort["drawIcon"] = async ({ sizePx, purpose }: AppIcon) => {
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

/** Everything is designed at this size and scaled to the requested one. */
const DESIGN = { width: 1200, height: 630 } as const;
const EDGE = 64;
const BOARD_TOP = 346;
const HEADLINE_BASELINE = 288;
const PIN = { width: 196, height: (196 * 14) / 9, corner: 16, step: 219 } as const;
const DROPS = [48, 86, 40, 78, 52] as const;
const POSTER = { width: 1024, height: 1536 } as const;
const JPEG_QUALITY = 88;

type Point = { x: number; y: number };

const pinPositions: readonly Point[] = DROPS.map((drop, index) => ({
  x: EDGE + index * PIN.step,
  y: BOARD_TOP + drop,
}));

const drawGround = (ctx: SKRSContext2D): void => {
  ctx.fillStyle = COLORS.page;
  ctx.fillRect(0, 0, DESIGN.width, DESIGN.height);
  ctx.fillStyle = COLORS.board;
  ctx.fillRect(0, BOARD_TOP, DESIGN.width, DESIGN.height - BOARD_TOP);
  ctx.fillStyle = COLORS.weave;
  for (let x = 0; x < DESIGN.width; x += 3) ctx.fillRect(x, BOARD_TOP, 1, DESIGN.height - BOARD_TOP);
  for (let y = BOARD_TOP; y < DESIGN.height; y += 3) ctx.fillRect(0, y, DESIGN.width, 1);
  ctx.fillStyle = COLORS.edge;
  ctx.fillRect(0, BOARD_TOP, DESIGN.width, 1);
};

const drawName = (ctx: SKRSContext2D, { name, label }: ShareImage): void => {
  drawMark(ctx, { xPx: EDGE - 4, yPx: 46, sizePx: 42, fill: COLORS.accent });
  setFace(ctx, "mark", 40);
  ctx.fillStyle = COLORS.ink;
  ctx.fillText(name, EDGE + 44, 82);
  if (!label) return;
  setFace(ctx, "sans", 26);
  ctx.fillStyle = COLORS.quiet;
  ctx.fillText(label, DESIGN.width - EDGE - ctx.measureText(label).width, 80);
};

const drawThread = (ctx: SKRSContext2D): void => {
  const tacks = pinPositions.map(({ x, y }) => ({ x: x + PIN.width / 2, y }));
  const points = [{ x: -40, y: BOARD_TOP + 60 }, ...tacks, { x: DESIGN.width + 40, y: BOARD_TOP + 40 }];
  ctx.beginPath();
  points.forEach((to, index) => {
    const from = points[index - 1];
    if (!from) {
      ctx.moveTo(to.x, to.y);
      return;
    }
    const [width, drop] = [to.x - from.x, to.y - from.y];
    const sag = width * 0.17;
    ctx.bezierCurveTo(
      from.x + width * 0.34,
      from.y + drop * 0.5 + sag,
      from.x + width * 0.68,
      from.y + drop * 0.8 + sag,
      to.x,
      to.y,
    );
  });
  ctx.strokeStyle = COLORS.thread;
  ctx.lineWidth = 2.4;
  ctx.stroke();
};

const drawShadows = (ctx: SKRSContext2D, { x, y }: Point): void => {
  const layers = [
    { alpha: 0.16, blur: 4, down: 2 },
    { alpha: 0.16, blur: 18, down: 10 },
    { alpha: 0.2, blur: 40, down: 26 },
  ];
  for (const { alpha, blur, down } of layers) {
    ctx.save();
    ctx.shadowColor = `rgba(18, 28, 23, ${alpha})`;
    ctx.shadowBlur = blur;
    ctx.shadowOffsetY = down;
    ctx.fillStyle = COLORS.page;
    ctx.beginPath();
    ctx.roundRect(x, y, PIN.width, PIN.height, PIN.corner);
    ctx.fill();
    ctx.restore();
  }
};

const drawTack = (ctx: SKRSContext2D, x: number, y: number): void => {
  ctx.save();
  ctx.shadowColor = "rgba(18, 28, 23, 0.4)";
  ctx.shadowBlur = 6;
  ctx.shadowOffsetX = 2;
  ctx.shadowOffsetY = 4;
  const dome = ctx.createRadialGradient(x - 4, y - 5, 1, x, y, 14);
  dome.addColorStop(0, COLORS.tackLight);
  dome.addColorStop(0.35, COLORS.tack);
  dome.addColorStop(1, COLORS.tackDark);
  ctx.fillStyle = dome;
  ctx.beginPath();
  ctx.arc(x, y, 13, 0, Math.PI * 2);
  ctx.fill();
  ctx.restore();
};

/** The path is resolved when called, so that a bundler does not include the folder. */
const posterFile = (name: string): string => join(process.cwd(), "public", "posters", `${name}.svg`);

const pinFaces = new Map<string, Promise<Canvas>>();

const drawPinFace = async (name: string): Promise<Canvas> => {
  const poster = await loadImage(await readFile(posterFile(name)));
  const canvas = createCanvas(PIN.width * 2, Math.round(PIN.height * 2));
  const height = canvas.height;
  const width = (height * POSTER.width) / POSTER.height;
  canvas.getContext("2d").drawImage(poster, (canvas.width - width) / 2, 0, width, height);
  return canvas;
};

/** A poster cropped to a pin. Cached, because most share images use the same posters. */
const pinFaceOf = (name: string): Promise<Canvas> => {
  const known = pinFaces.get(name) ?? drawPinFace(name);
  pinFaces.set(name, known);
  return known;
};

const drawPin = (ctx: SKRSContext2D, face: Canvas, position: Point): void => {
  drawShadows(ctx, position);
  ctx.save();
  ctx.beginPath();
  ctx.roundRect(position.x, position.y, PIN.width, PIN.height, PIN.corner);
  ctx.clip();
  ctx.drawImage(face, position.x, position.y, PIN.width, PIN.height);
  ctx.restore();
  drawTack(ctx, position.x + PIN.width / 2, position.y + 2);
};

export const drawShareImage: ImagesPort["drawShareImage"] = async (image) => {
  registerFaces();
  const pins = await Promise.all(image.posters.slice(0, pinPositions.length).map(pinFaceOf));
  const canvas = createCanvas(image.widthPx, image.heightPx);
  const ctx = canvas.getContext("2d");
  ctx.scale(image.widthPx / DESIGN.width, image.heightPx / DESIGN.height);
  drawGround(ctx);
  drawName(ctx, image);
  const headline = fitHeadline(ctx, image.headline, DESIGN.width - 2 * EDGE);
  writeHeadline(ctx, headline, {
    leftPx: EDGE,
    baselinePx: HEADLINE_BASELINE,
    fills: { roman: COLORS.ink, italic: COLORS.accent },
  });
  drawThread(ctx);
  pins.forEach((face, index) => {
    const position = pinPositions[index];
    if (position) drawPin(ctx, face, position);
  });
  return canvas.encode("jpeg", JPEG_QUALITY);
};
