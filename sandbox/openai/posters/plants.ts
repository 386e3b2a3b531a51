import { between, pick, type Random } from "../seed.ts";
import { type Curve, drawLeaf, drawStem, headingOn, pointOn } from "./botany.ts";
import type { Palette } from "./palettes.ts";
import { drawWreath } from "./plant-wreath.ts";
import { fillDisc, type Point, type Sheet, strokePath } from "./sheet.ts";
import type { Plant } from "./spec.ts";

/** What a plant draws with. */
export type Herbarium = { sheet: Sheet; palette: Palette; random: Random };

type Habit = {
  pairs: number;
  length: number;
  width(profile: number): number;
  /** How far the leaves stand off the stem at its share, in degrees. */
  spread(share: number): number;
  tip: { length: number; width: number };
  top: number;
  hasRibs: boolean;
};

const PINNATE: Habit = {
  pairs: 12,
  length: 250,
  width: (profile) => 46 * profile,
  spread: (share) => 58 - 22 * share,
  tip: { length: 170, width: 38 },
  top: 210,
  hasRibs: true,
};

const ROUND: Habit = {
  pairs: 7,
  length: 205,
  width: (profile) => 78 * profile,
  spread: (share) => 74 - 20 * share,
  tip: { length: 170, width: 70 },
  top: 330,
  hasRibs: true,
};

const NEEDLE: Habit = {
  pairs: 46,
  length: 150,
  width: () => 6,
  spread: () => 46,
  tip: { length: 110, width: 6 },
  top: 210,
  hasRibs: false,
};

const OLIVE: Habit = {
  pairs: 10,
  length: 216,
  width: (profile) => 25 * profile,
  spread: (share) => 50 - 14 * share,
  tip: { length: 150, width: 22 },
  top: 230,
  hasRibs: false,
};

/** The stem of a specimen: it leans a little, and straightens. */
function stemTo(random: Random, top: number): Curve {
  const lean = between(random, -75, 75);
  return [
    [512 - lean * 0.7, 1085],
    [512 - lean, 860],
    [512 + lean * 1.3, 560],
    [512 + lean * 0.6, top],
  ];
}

function drawSprig({ sheet, palette, random }: Herbarium, habit: Habit): Curve {
  const stem = stemTo(random, habit.top);
  const rib = habit.hasRibs ? { rib: palette.ground } : {};
  drawStem(sheet, stem, palette.ink, 9);
  for (let pair = 0; pair < habit.pairs; pair++) {
    const share = 0.1 + (0.86 * pair) / (habit.pairs - 1);
    const profile = Math.sin(Math.PI * (0.18 + 0.72 * share)) ** 0.8;
    const length = habit.length * profile * between(random, 0.92, 1.08);
    const other = pick(random, [palette.a, palette.a, palette.b, palette.ink]);
    for (const side of [-1, 1]) {
      const degrees = headingOn(stem, share) + side * habit.spread(share) + between(random, -4, 4);
      const at = pointOn(stem, share);
      const fill = side < 0 ? palette.a : other;
      drawLeaf(sheet, { at, length, width: habit.width(profile), degrees, fill, ...rib }, side * -14);
    }
  }
  const [x, y] = pointOn(stem, 1);
  drawLeaf(sheet, { at: [x, y + 10], ...habit.tip, degrees: headingOn(stem, 1), fill: palette.a, ...rib });
  return stem;
}

/** A twig of a fir, with its cones' berries below. */
function drawTwig({ sheet, palette, random }: Herbarium, [x, y]: Point, side: number, share: number): void {
  const end: Point = [x + side * (250 - share * 180), y - 190];
  const twig: Curve = [[x, y], [x + side * 60, y - 80], [end[0] - side * 20, end[1] + 60], end];
  drawStem(sheet, twig, palette.ink, 6);
  for (let pair = 0; pair < 22; pair++) {
    const along = 0.15 + (0.85 * pair) / 21;
    for (const other of [-1, 1]) {
      const degrees = headingOn(twig, along) + other * 44 + between(random, -4, 4);
      const length = 92 * (1 - 0.3 * along);
      const fill = random() < 0.5 ? palette.a : palette.b;
      drawLeaf(sheet, { at: pointOn(twig, along), length, width: 5, degrees, fill });
    }
  }
  fillDisc(sheet, [x + side * 26, y + 44], 19, palette.d);
  fillDisc(sheet, [x + side * 58, y + 66], 15, palette.c);
}

function drawFir(herbarium: Herbarium): void {
  const stem = drawSprig(herbarium, NEEDLE);
  const first = herbarium.random() < 0.5 ? 1 : -1;
  [0.2, 0.34, 0.5].forEach((share, index) => {
    drawTwig(herbarium, pointOn(stem, share), index % 2 === 0 ? first : -first, share);
  });
}

/** Slender leaves, and olives between them. */
function drawOlive(herbarium: Herbarium): void {
  const { sheet, palette, random } = herbarium;
  const stem = drawSprig(herbarium, OLIVE);
  for (const [index, share] of [0.24, 0.4, 0.55, 0.7, 0.82].entries()) {
    const side = index % 2 === 0 ? 1 : -1;
    const [x, y] = pointOn(stem, share);
    const at: Point = [x + side * between(random, 40, 62), y + between(random, 8, 30)];
    drawStem(sheet, [[x, y], [x + side * 18, y - 4], [at[0], at[1] - 40], at], palette.ink, 4);
    fillDisc(sheet, [at[0], at[1] + 16], between(random, 24, 31), index % 2 === 0 ? palette.d : palette.c);
  }
}

/** A specimen, and the box that holds it whatever its chances: the middle is at 512. */
export type Specimen = { draw(herbarium: Herbarium): void; top: number; bottom: number; halfWidth: number };

/** Every specimen, by name. */
export const plants: Record<Plant, Specimen> = {
  herb: { draw: (herbarium) => void drawSprig(herbarium, PINNATE), top: 45, bottom: 1095, halfWidth: 330 },
  eucalyptus: { draw: (herbarium) => void drawSprig(herbarium, ROUND), top: 165, bottom: 1095, halfWidth: 330 },
  fir: { draw: drawFir, top: 100, bottom: 1095, halfWidth: 380 },
  olive: { draw: drawOlive, top: 80, bottom: 1095, halfWidth: 320 },
  umbel: { draw: drawUmbel, top: 90, bottom: 1095, halfWidth: 500 },
  wreath: { draw: drawWreath, top: 196, bottom: 1076, halfWidth: 440 },
};

const RAYS = 15;
const DOTS = 8;
const TURN = Math.PI * 2;

/** One flower head: rays that end in clusters of dots. */
function drawHead({ sheet, palette, random }: Herbarium, [x, y]: Point, radius: number): void {
  for (let ray = 0; ray < RAYS; ray++) {
    const angle = ((-168 + (156 * ray) / (RAYS - 1)) * Math.PI) / 180;
    const reach = radius * between(random, 0.82, 1.07);
    const end: Point = [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach * 0.86];
    const bend = `${x + (end[0] - x) * 0.25} ${y + (end[1] - y) * 0.75}`;
    strokePath(sheet, `M${x} ${y}Q${bend} ${end[0]} ${end[1]}`, palette.a, 4);
    for (let dot = 0; dot < DOTS; dot++) {
      const turn = random() * TURN;
      const off = Math.sqrt(random()) * 38;
      const at: Point = [end[0] + Math.cos(turn) * off, end[1] + Math.sin(turn) * off];
      fillDisc(sheet, at, between(random, 7, 15), pick(random, [palette.c, palette.d, palette.c, palette.b]));
    }
  }
}

/** A meadow flower: a large head, two smaller ones beside it, and tufts of leaves at the foot. */
function drawUmbel(herbarium: Herbarium): void {
  const { sheet, palette, random } = herbarium;
  const stem = stemTo(random, 330);
  const first = random() < 0.5 ? 1 : -1;
  drawStem(sheet, stem, palette.ink, 9);
  const [topX, topY] = pointOn(stem, 1);
  drawHead(herbarium, [topX, topY + 60], 240);
  for (const [index, share] of [0.62, 0.45].entries()) {
    const side = index === 0 ? first : -first;
    const [x, y] = pointOn(stem, share);
    const arm: Curve = [
      [x, y],
      [x + side * 70, y - 50],
      [x + side * 190, y - 90],
      [x + side * 235, y - 200],
    ];
    drawStem(sheet, arm, palette.ink, 6);
    drawHead(herbarium, arm[3], index === 0 ? 170 : 150);
  }
  for (const [index, share] of [0.12, 0.2, 0.3].entries()) {
    const side = index % 2 === 0 ? -first : first;
    for (let leaf = 0; leaf < 5; leaf++) {
      const degrees = headingOn(stem, share) + side * (48 + leaf * 15);
      const fill = leaf % 2 === 0 ? palette.a : palette.b;
      const at = pointOn(stem, share);
      drawLeaf(sheet, { at, length: 250 - leaf * 24, width: 26, degrees, fill, rib: palette.ground });
    }
  }
}
