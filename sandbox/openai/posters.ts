import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createCanvas, GlobalFonts, type Image, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import { captionOf, headlineOf } from "./copy.ts";
import { detectTopic, readPinRequest } from "./keyword.ts";
import { createRandom, hashText, pick } from "./seed.ts";

export type ImageFormat = "png" | "jpeg" | "webp";

export type Encoding = { widthPx: number; heightPx: number; format: ImageFormat };

/** The size of the committed backgrounds; all layouts use its units. */
const DESIGN = { width: 1024, height: 1536 };
const ENCODING_QUALITY = 88;
const ASCENT = 0.78;
const LEADING = 0.95;
const CAPTION_SIZE = 28;
const FOLDER = new URL("./backgrounds/", import.meta.url);

type Align = "left" | "center" | "right";
type TextBox = { x: number; y: number; maxWidth: number; align: Align };
type Layout = { title: TextBox & { size: number; weight: number; bottom?: boolean }; caption: TextBox };

const table = { x: 512, align: "center", maxWidth: 880 } as const;
const LAYOUTS = {
  still: { title: { ...table, y: 104, size: 144, weight: 400 }, caption: { ...table, y: 1472 } },
  ridge: {
    title: { x: 84, y: 96, size: 148, maxWidth: 850, weight: 400, align: "left" },
    caption: { x: 88, y: 1450, maxWidth: 848, align: "left" },
  },
  plate: {
    title: { x: 104, y: 1430, size: 124, maxWidth: 816, weight: 400, align: "left", bottom: true },
    caption: { x: 920, y: 122, maxWidth: 604, align: "right" },
  },
  paper: {
    title: { x: 72, y: 1096, size: 150, maxWidth: 880, weight: 500, align: "left" },
    caption: { x: 76, y: 1466, maxWidth: 880, align: "left" },
  },
  tiles: {
    title: { x: 72, y: 1094, size: 156, maxWidth: 880, weight: 400, align: "left" },
    caption: { x: 76, y: 1470, maxWidth: 876, align: "left" },
  },
  list: {
    title: { x: 72, y: 720, size: 152, maxWidth: 880, weight: 400, align: "left" },
    caption: { x: 72, y: 1470, maxWidth: 880, align: "left" },
  },
} as const satisfies Record<string, Layout>;

type LayoutName = keyof typeof LAYOUTS;

/** The committed backgrounds: layout, and the colors of title and caption. */
const BACKGROUNDS = {
  "branches-clay": ["still", "#47231A", "#F2E4D5"],
  "branches-midnight": ["still", "#F3EBDD", "#F3EBDD"],
  "figs-rosewood": ["still", "#4A1F26", "#F6E6DF"],
  "bread-butter": ["still", "#3A2B12", "#3A2B12"],
  "bread-brick": ["still", "#FBEFDF", "#642d1f"],
  "pots-moss": ["still", "#1E3A2C", "#EFECDF"],
  "pots-sea": ["still", "#12383B", "#DDE8E3"],
  "fruit-citrus": ["still", "#2F3A1B", "#2F3A1B"],
  "candles-plum": ["still", "#3B2034", "#F1E5E2"],
  "candles-nightfall": ["still", "#F2ECDB", "#F2ECDB"],
  "tea-dusk": ["still", "#1C2A44", "#E4E7E8"],
  "hills-moss": ["ridge", "#1E3A2C", "#EFECDF"],
  "hills-heather": ["ridge", "#2B2440", "#ECE6EA"],
  "peaks-nightfall": ["ridge", "#F2ECDB", "#F2ECDB"],
  "peaks-dusk": ["ridge", "#1C2A44", "#E4E7E8"],
  "water-tide": ["ridge", "#16324A", "#EAF0EA"],
  "water-midnight": ["ridge", "#F3EBDD", "#F3EBDD"],
  "dunes-butter": ["ridge", "#3A2B12", "#F4DE9B"],
  "dunes-clay": ["ridge", "#47231A", "#F2E4D5"],
  "herb-olive": ["plate", "#2C3016", "#2C3016"],
  "eucalyptus-sea": ["plate", "#12383B", "#12383B"],
  "fir-night": ["plate", "#F2ECDB", "#F2ECDB"],
  "olive-clay": ["plate", "#47231A", "#47231A"],
  "umbel-heather": ["plate", "#2B2440", "#2B2440"],
  "wreath-moss": ["plate", "#1E3A2C", "#1E3A2C"],
  "cut-outs-citrus": ["paper", "#2F3A1B", "#2F3A1B"],
  "cut-outs-plum": ["paper", "#3B2034", "#3B2034"],
  "cut-outs-tide": ["paper", "#16324A", "#16324A"],
  "cut-outs-brick": ["paper", "#FBEFDF", "#FBEFDF"],
  "tiles-rosewood": ["tiles", "#4A1F26", "#4A1F26"],
  "tiles-sea": ["tiles", "#12383B", "#12383B"],
  "tiles-olive": ["tiles", "#2C3016", "#2C3016"],
  "tiles-night": ["tiles", "#F2ECDB", "#F2ECDB"],
  "begin-butter": ["list", "#3A2B12", "#3A2B12"],
  "keep-rosewood": ["list", "#4A1F26", "#4A1F26"],
  "home-dusk": ["list", "#1C2A44", "#1C2A44"],
} as const satisfies Record<string, readonly [LayoutName, string, string]>;

type BackgroundName = keyof typeof BACKGROUNDS;

const isBackground = (name: string): name is BackgroundName => Object.hasOwn(BACKGROUNDS, name);

/** Layouts whose backgrounds contain no text. */
const MIRRORABLE: ReadonlySet<LayoutName> = new Set(["still", "ridge", "paper", "tiles"]);

export const backgroundNames: readonly BackgroundName[] = Object.keys(BACKGROUNDS).filter(isBackground);

/** How often a prompt gets an unrelated background, as from a real model. */
const OFF_TOPIC_RATE = 0.12;

/** The background that fits a keyword, and whether it is mirrored. */
type PosterChoice = { name: BackgroundName; isMirrored: boolean };

/** The same prompt gives the same choice. */
export function choosePoster(prompt: string): PosterChoice {
  const random = createRandom(hashText(`poster ${prompt}`));
  const { motifs } = detectTopic(readPinRequest(prompt).keyword);
  const suited = backgroundNames.filter((name) => motifs.some((kind) => name.startsWith(kind)));
  const choices = random() < OFF_TOPIC_RATE || suited.length === 0 ? backgroundNames : suited;
  const name = pick(random, choices);
  return { name, isMirrored: MIRRORABLE.has(BACKGROUNDS[name][0]) && random() < 0.5 };
}

/** Draws a prompt's keyword on its background. Returns the encoded image in exactly the requested size. */
export async function drawPoster(order: Encoding & { prompt: string }): Promise<Buffer> {
  const { name, isMirrored } = choosePoster(order.prompt);
  const { keyword } = readPinRequest(order.prompt);
  const [layout, ink, captionInk] = BACKGROUNDS[name];
  const canvas = createCanvas(order.widthPx, order.heightPx);
  const ctx = canvas.getContext("2d");
  const image = await loadImage(new URL(`${name}.webp`, FOLDER));
  placeBackground(ctx, image, order, isMirrored);
  drawTitle(ctx, headlineOf(keyword), LAYOUTS[layout].title, ink);
  drawCaption(ctx, captionOf(keyword), LAYOUTS[layout].caption, captionInk);
  return order.format === "png" ? canvas.encode("png") : canvas.encode(order.format, ENCODING_QUALITY);
}

const MAX_BLANKS = 20;
const blanks = new Map<string, Promise<Buffer>>();

/** A plain image of the requested size, cached: for benches that measure something else. */
export function drawBlank({ widthPx, heightPx, format }: Encoding): Promise<Buffer> {
  const key = `${widthPx}x${heightPx} ${format}`;
  const known = blanks.get(key);
  if (known) return known;
  if (blanks.size >= MAX_BLANKS) blanks.clear();
  const canvas = createCanvas(widthPx, heightPx);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = "#e4dfd4";
  ctx.fillRect(0, 0, widthPx, heightPx);
  const encoded = format === "png" ? canvas.encode("png") : canvas.encode(format, ENCODING_QUALITY);
  blanks.set(key, encoded);
  return encoded;
}

/** Centers the whole background; other aspect ratios get more of its edges around it. */
function placeBackground(ctx: SKRSContext2D, image: Image, size: Encoding, isMirrored: boolean): void {
  const [across, down] = [size.widthPx / DESIGN.width, size.heightPx / DESIGN.height];
  const scale = Math.min(across, down);
  const drawCentered = (by: number) => {
    ctx.setTransform(isMirrored ? -by : by, 0, 0, by, size.widthPx / 2, size.heightPx / 2);
    ctx.drawImage(image, -DESIGN.width / 2, -DESIGN.height / 2, DESIGN.width, DESIGN.height);
  };
  if (across !== down) drawCentered(Math.max(across, down));
  drawCentered(scale);
  const [left, top] = [(size.widthPx - DESIGN.width * scale) / 2, (size.heightPx - DESIGN.height * scale) / 2];
  ctx.setTransform(scale, 0, 0, scale, left, top);
}

/** A headline of one or two lines: a single short line grows a little, a wide one shrinks to fit. */
function drawTitle(ctx: SKRSContext2D, lines: readonly string[], box: Layout["title"], ink: string): void {
  const requested = lines.length === 1 ? box.size * 1.16 : box.size;
  setTitleFont(ctx, requested, box.weight);
  const widest = Math.max(...lines.map((line) => ctx.measureText(line).width));
  const size = widest > box.maxWidth ? (requested * box.maxWidth) / widest : requested;
  setTitleFont(ctx, size, box.weight);
  ctx.fillStyle = ink;
  const height = size * (ASCENT + (lines.length - 1) * LEADING);
  const top = box.bottom ? box.y - height : box.y;
  lines.forEach((line, index) => {
    drawLine(ctx, line, box, top + size * (ASCENT + index * LEADING));
  });
}

/** The caption in small capitals, shrunk to fit. */
function drawCaption(ctx: SKRSContext2D, text: string, box: TextBox, ink: string): void {
  const capitals = text.toUpperCase();
  setCaptionFont(ctx, CAPTION_SIZE);
  const { width } = ctx.measureText(capitals);
  if (width > box.maxWidth) setCaptionFont(ctx, (CAPTION_SIZE * box.maxWidth) / width);
  ctx.fillStyle = ink;
  drawLine(ctx, capitals, box, box.y);
}

const INDENTS: Record<Align, number> = { left: 0, center: 0.5, right: 1 };

function drawLine(ctx: SKRSContext2D, text: string, { x, align }: TextBox, y: number): void {
  ctx.fillText(text, x - ctx.measureText(text).width * INDENTS[align], y);
}

const TITLE_FAMILY = "PosterTitle";
const CAPTION_FAMILY = "PosterCaption";
/** Registered separately, so that accents of many languages render. */
const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const TITLE_TRACKING = -0.022;
const CAPTION_TRACKING = 0.1214;

let isRegistered = false;

function registerFonts(): void {
  if (isRegistered) return;
  const require = createRequire(import.meta.url);
  const folderOf = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "files");
  const newsreader = folderOf("@fontsource-variable/newsreader");
  const hanken = folderOf("@fontsource-variable/hanken-grotesk");
  for (const subset of SUBSETS) {
    register(join(newsreader, `newsreader-${subset}-opsz-normal.woff2`), `${TITLE_FAMILY}-${subset}`);
    register(join(hanken, `hanken-grotesk-${subset}-wght-normal.woff2`), `${CAPTION_FAMILY}-${subset}`);
  }
  isRegistered = true;
}

function register(path: string, family: string): void {
  if (!GlobalFonts.register(readFileSync(path), family)) throw new Error(`The poster font ${path} cannot be read`);
}

function setFont(ctx: SKRSContext2D, family: string, size: number, axes: string, tracking: number): void {
  registerFonts();
  ctx.font = `${size}px ${SUBSETS.map((subset) => `${family}-${subset}`).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${size * tracking}px`;
  ctx.textBaseline = "alphabetic";
}

function setTitleFont(ctx: SKRSContext2D, size: number, weight: number): void {
  setFont(ctx, TITLE_FAMILY, size, `'opsz' 72, 'wght' ${weight}`, TITLE_TRACKING);
}

/** The widely tracked sans serif of the caption. */
function setCaptionFont(ctx: SKRSContext2D, size: number): void {
  setFont(ctx, CAPTION_FAMILY, size, "'wght' 600", CAPTION_TRACKING);
}
