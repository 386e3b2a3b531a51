import { between, createRandom, type Random } from "../seed.ts";
import { contrast, mix, readableOn } from "./color.ts";
import { drawCaption, drawTitle } from "./lettering.ts";
import { deepest, isNight, type Palette } from "./palettes.ts";
import { DESIGN, fillDisc, fillGround, fillPath, type Sheet, strokePath } from "./sheet.ts";
import type { PosterText, Terrain } from "./spec.ts";

const FIRST_BASE = 720;
const STEP = 158;
const FIR_RIDGE = 3;
const LEAST_CONTRAST = 1.25;

type Ridge = { base: number; amplitude: number; rates: [number, number, number]; phases: [number, number, number] };

function createRidge(random: Random, index: number, terrain: Terrain): Ridge {
  const calm = terrain === "water" ? 26 + index * 7 : 150 - index * 20;
  const amplitude = terrain === "dunes" ? calm * 0.62 : terrain === "peaks" ? calm * 1.08 : calm;
  const turn = () => random() * 6.28;
  return {
    base: FIRST_BASE + index * STEP,
    amplitude,
    rates: [0.9 + random() * 0.8, 2 + random() * 1.2, 4.4 + random() * 2.4],
    phases: [turn(), turn(), turn()],
  };
}

/** A triangle wave between -1 and 1: straight mountain flanks instead of rounded hills. */
function flank(angle: number): number {
  return (2 / Math.PI) * Math.asin(Math.sin(angle));
}

/** The height of a ridge's edge at design x. */
function edgeAt({ base, amplitude, rates, phases }: Ridge, x: number, terrain: Terrain): number {
  const u = (x / DESIGN.width) * 3.14;
  const angles = rates.map((rate, index) => u * rate + (phases[index] ?? 0));
  const [slow = 0, middle = 0, quick = 0] = angles;
  if (terrain === "water") {
    return base + Math.sin(u * rates[1] * 1.3 + phases[0]) * amplitude + Math.sin(quick) * amplitude * 0.25;
  }
  if (terrain === "peaks") {
    return base + Math.sin(slow) * amplitude * 0.55 + flank(middle) * amplitude * 0.7 + flank(quick) * amplitude * 0.22;
  }
  const bumps = terrain === "dunes" ? 0 : Math.abs(Math.sin(quick)) * amplitude * -0.26;
  return base + Math.sin(slow) * amplitude + Math.sin(middle) * amplitude * 0.42 + bumps;
}

function drawRidge(sheet: Sheet, ridge: Ridge, terrain: Terrain, fill: string): void {
  const { left, right, bottom } = sheet.frame;
  let path = `M${left - 16} ${bottom + 2}`;
  for (let x = left - 16; x <= right + 16; x += terrain === "peaks" ? 4 : 8) {
    path += `L${x} ${edgeAt(ridge, x, terrain)}`;
  }
  fillPath(sheet, `${path}L${right + 16} ${bottom + 2}Z`, fill);
}

function drawFirs(sheet: Sheet, random: Random, ridge: Ridge, terrain: Terrain, fill: string): void {
  const span = sheet.frame.right - sheet.frame.left;
  const count = Math.round((16 * span) / DESIGN.width);
  for (let index = 0; index < count; index++) {
    const x = sheet.frame.left + 40 + random() * (span - 74);
    const y = edgeAt(ridge, x, terrain) + 26;
    const height = 70 + random() * 70;
    const at = (dx: number, dy: number) => `${x + height * dx} ${y - height * dy}`;
    fillPath(
      sheet,
      `M${at(0, 1)}L${at(0.22, 0.42)}L${at(0.12, 0.42)}L${at(0.3, 0)}L${at(-0.3, 0)}L${at(-0.12, 0.42)}L${at(-0.22, 0.42)}Z`,
      fill,
    );
  }
}

function drawStars(sheet: Sheet, random: Random, fill: string): void {
  const { left, right, top } = sheet.frame;
  for (let index = 0; index < 60; index++) {
    const at: [number, number] = [between(random, left, right), between(random, Math.min(0, top), 760)];
    fillDisc(sheet, at, 1.5 + random() * 3.2, fill, 0.75);
  }
}

/** A few birds: two short arcs each, in a loose line beside the disc. */
function drawBirds(sheet: Sheet, random: Random, near: readonly [number, number], color: string): void {
  const side = near[0] > DESIGN.width / 2 ? -1 : 1;
  for (let index = 0; index < 4; index++) {
    const x = near[0] + side * (between(random, 250, 270) + index * 84);
    const y = near[1] - 60 + index * 22 + random() * 46;
    const wing = 12 + random() * 7;
    const arc = `M${x - wing * 2} ${y - wing * 0.5}Q${x - wing} ${y - wing} ${x} ${y}`;
    strokePath(sheet, `${arc}Q${x + wing} ${y - wing} ${x + wing * 2} ${y - wing * 0.5}`, color, 4.5);
  }
}

/** A small boat on the highest point of a swell. */
function drawBoat(sheet: Sheet, swell: Ridge, hull: string, sail: string): void {
  const places = Array.from({ length: 27 }, (_, index) => 230 + index * 21);
  const heights = places.map((place) => edgeAt(swell, place, "water"));
  const x = places[heights.indexOf(Math.min(...heights))] ?? DESIGN.width / 2;
  const y = Math.min(...heights) + 12;
  fillPath(
    sheet,
    `M${x - 58} ${y - 22}H${x + 58}C${x + 48} ${y + 4} ${x + 26} ${y + 12} ${x} ${y + 12}C${x - 30} ${y + 12} ${x - 50} ${y + 4} ${x - 58} ${y - 22}Z`,
    hull,
  );
  fillPath(sheet, `M${x - 6} ${y - 32}V${y - 168}C${x + 30} ${y - 120} ${x + 52} ${y - 76} ${x + 58} ${y - 32}Z`, sail);
  fillPath(
    sheet,
    `M${x - 18} ${y - 32}V${y - 132}C${x - 36} ${y - 96} ${x - 48} ${y - 62} ${x - 50} ${y - 32}Z`,
    sail,
    0.8,
  );
}

/** Direction 2: a disc over five ridges, from the palest to the deepest. */
export function drawRidgeline(sheet: Sheet, palette: Palette, text: PosterText, seed: number, terrain: Terrain): void {
  const random = createRandom(seed);
  const deep = deepest(palette);
  const night = isNight(palette);
  const disc: [number, number] = [between(random, 270, 760), between(random, 540, 640)];
  const radius = night ? between(random, 96, 130) : between(random, 136, Math.min(196, disc[1] - 410));
  fillGround(sheet, palette.ground);
  if (night) drawStars(sheet, random, palette.ink);
  fillDisc(sheet, disc, radius, contrast(palette.c, palette.ground) < LEAST_CONTRAST ? palette.d : palette.c);
  if (!night && random() < 0.6) drawBirds(sheet, random, disc, palette.ink);
  const tones = [palette.b, mix(palette.b, palette.a, 0.5), palette.a, mix(palette.a, deep, 0.45), deep];
  const hasFirs = terrain === "hills" || terrain === "peaks";
  tones.forEach((tone, index) => {
    const ridge = createRidge(random, index, terrain);
    if (index === 1 && terrain === "water") drawBoat(sheet, ridge, deep, night ? palette.ink : palette.d);
    drawRidge(sheet, ridge, terrain, tone);
    if (hasFirs && index === FIR_RIDGE) drawFirs(sheet, random, ridge, terrain, deep);
  });
  const { left, top, right, bottom } = sheet.frame;
  const title = { lines: text.lines, size: 148, fill: palette.ink, weight: 400, align: "left" } as const;
  drawTitle(sheet, { ...title, at: [left + 84, top + 96], maxWidth: right - left - 174 });
  const captionFill = readableOn(deep, [palette.ground, palette.ink, palette.b]);
  drawCaption(sheet, {
    text: text.caption,
    at: [left + 88, bottom - 86],
    maxWidth: right - left - 176,
    fill: captionFill,
    align: "left",
  });
}
