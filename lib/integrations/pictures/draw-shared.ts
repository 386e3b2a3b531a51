import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Canvas, createCanvas, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import { fitHeadline, writeHeadline } from "./headline.ts";
import { registerFaces, setFace } from "./lettering.ts";
import { COLORS, drawMark } from "./look.ts";
import type { PicturesPort, SharedPicture } from "./port.ts";

/** Everything is designed at this size and scaled to the one that is asked for. */
const DESIGN = { width: 1200, height: 630 } as const;
const EDGE = 64;
const BOARD_TOP = 346;
const HEADLINE_BASELINE = 288;
const PIN = { width: 196, height: (196 * 14) / 9, corner: 16, step: 219 } as const;
/** How far below the board's edge each pin hangs: a thread that sags, not a row. */
const DROPS = [48, 86, 40, 78, 52] as const;
/** The poster's own proportions; a pin's face cuts its sides. */
const POSTER = { width: 1024, height: 1536 } as const;
const JPEG_QUALITY = 88;

type Place = { x: number; y: number };

const places: readonly Place[] = DROPS.map((drop, index) => ({ x: EDGE + index * PIN.step, y: BOARD_TOP + drop }));

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

const drawName = (ctx: SKRSContext2D, { name, label }: SharedPicture): void => {
  drawMark(ctx, { xPx: EDGE - 4, yPx: 46, sizePx: 42, fill: COLORS.accent });
  setFace(ctx, "mark", 40);
  ctx.fillStyle = COLORS.ink;
  ctx.fillText(name, EDGE + 44, 82);
  if (!label) return;
  setFace(ctx, "sans", 26);
  ctx.fillStyle = COLORS.quiet;
  ctx.fillText(label, DESIGN.width - EDGE - ctx.measureText(label).width, 80);
};

/** Each span sags by a share of its width, as the thread of the screens does. */
const drawThread = (ctx: SKRSContext2D): void => {
  const tacks = places.map(({ x, y }) => ({ x: x + PIN.width / 2, y }));
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

const drawShadows = (ctx: SKRSContext2D, { x, y }: Place): void => {
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

/** Resolved when called, so that a bundler does not take the folder along. */
const posterFile = (name: string): string => join(process.cwd(), "public", "posters", `${name}.svg`);

const faces = new Map<string, Promise<Canvas>>();

const paintFace = async (name: string): Promise<Canvas> => {
  const poster = await loadImage(await readFile(posterFile(name)));
  const canvas = createCanvas(PIN.width * 2, Math.round(PIN.height * 2));
  const height = canvas.height;
  const width = (height * POSTER.width) / POSTER.height;
  canvas.getContext("2d").drawImage(poster, (canvas.width - width) / 2, 0, width, height);
  return canvas;
};

/** A poster cut to the face of a pin; each is painted once, for most cards share some. */
const faceOf = (name: string): Promise<Canvas> => {
  const known = faces.get(name) ?? paintFace(name);
  faces.set(name, known);
  return known;
};

const hangPin = (ctx: SKRSContext2D, face: Canvas, place: Place): void => {
  drawShadows(ctx, place);
  ctx.save();
  ctx.beginPath();
  ctx.roundRect(place.x, place.y, PIN.width, PIN.height, PIN.corner);
  ctx.clip();
  ctx.drawImage(face, place.x, place.y, PIN.width, PIN.height);
  ctx.restore();
  drawTack(ctx, place.x + PIN.width / 2, place.y + 2);
};

/** Headline on paper above a board of pins, as on the landing page. */
export const drawShared: PicturesPort["drawShared"] = async (picture) => {
  registerFaces();
  const pins = await Promise.all(picture.posters.slice(0, places.length).map(faceOf));
  const canvas = createCanvas(picture.widthPx, picture.heightPx);
  const ctx = canvas.getContext("2d");
  ctx.scale(picture.widthPx / DESIGN.width, picture.heightPx / DESIGN.height);
  drawGround(ctx);
  drawName(ctx, picture);
  const headline = fitHeadline(ctx, picture.headline, DESIGN.width - 2 * EDGE);
  writeHeadline(ctx, headline, {
    leftPx: EDGE,
    baselinePx: HEADLINE_BASELINE,
    fills: { roman: COLORS.ink, italic: COLORS.accent },
  });
  drawThread(ctx);
  pins.forEach((face, index) => {
    const place = places[index];
    if (place) hangPin(ctx, face, place);
  });
  return canvas.encode("jpeg", JPEG_QUALITY);
};
