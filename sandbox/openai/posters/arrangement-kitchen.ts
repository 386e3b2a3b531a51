import { between } from "../seed.ts";
import { type Curve, drawLeaf, drawStem, headingOn, pointOn } from "./botany.ts";
import { mix, warmth } from "./color.ts";
import { fillDisc, fillEllipse, fillPath, type Point, strokePath } from "./sheet.ts";
import type { Tabletop } from "./tabletop.ts";
import { drawFruit, drawVessel, insideMouth, type Profile } from "./vessel.ts";

function drawWheat({ sheet, palette, random }: Tabletop, ear: string): void {
  for (let index = 0; index < 5; index++) {
    const offset = index - 2;
    const tip: Point = [330 + offset * 66 + between(random, -12, 12), 600 + Math.abs(offset) * 34];
    const curve: Curve = [[330 + offset * 10, 930], [330 + offset * 16, 820], [330 + offset * 36, 720], tip];
    drawStem(sheet, curve, palette.ink, 5);
    for (let grain = 0; grain < 9; grain++) {
      const at = pointOn(curve, 0.62 + (0.38 * grain) / 8);
      for (const side of [-1, 1]) {
        drawLeaf(sheet, { at, length: 46, width: 9, degrees: headingOn(curve, 0.9) + side * 30, fill: ear });
      }
    }
  }
}

const BOTTLE: Profile = [
  [66, 0],
  [86, 60],
  [80, 190],
  [40, 262],
  [44, 330],
];

/** A loaf and a bottle of wheat. */
export function drawBread(tabletop: Tabletop): void {
  const { sheet, palette, shade } = tabletop;
  const isCrustD = warmth(palette.d) > warmth(palette.c);
  const crust = isCrustD ? palette.d : palette.c;
  drawWheat(tabletop, mix(crust, "#C98A35", 0.55));
  drawVessel(sheet, [330, 1250], BOTTLE, isCrustD ? palette.c : palette.d, shade);
  fillEllipse(sheet, [650, 1266], [240, 20], shade, 0.22);
  fillPath(sheet, "M420 1256C398 1120 470 1030 628 1030C786 1030 852 1120 834 1256Z", crust);
  fillPath(sheet, "M628 1030C786 1030 852 1120 834 1256H640Z", shade, 0.1);
  for (let cut = 0; cut < 4; cut++) {
    const [start, handle] = [`${500 + cut * 76} ${1190 - cut * 4}`, `${506 + cut * 72} 1140`];
    strokePath(sheet, `M${start}C${handle} ${530 + cut * 70} 1096 ${566 + cut * 62} 1072`, palette.ground, 15);
  }
}

const JUG: Profile = [
  [74, 0],
  [118, 90],
  [108, 210],
  [62, 290],
  [76, 356],
];

const BOWL: Profile = [
  [88, 0],
  [84, 22],
  [236, 196],
];

function drawHeapedFruit({ sheet, palette, shade, random }: Tabletop, [x, y]: Point, isPale: boolean): void {
  const fill = isPale ? mix(palette.c, palette.ground, 0.24) : palette.c;
  const radius = between(random, 54, 62);
  fillDisc(sheet, [x, y], radius, fill);
  fillPath(sheet, `M${x} ${y - radius}A${radius} ${radius} 0 0 1 ${x} ${y + radius}Z`, shade, 0.13);
}

const HEAP: readonly Point[] = [
  [470, 1074],
  [766, 1074],
  [544, 1052],
  [694, 1050],
  [618, 1046],
  [572, 972],
  [664, 968],
];

/** A wide bowl heaped with fruit, a jug behind it. */
export function drawFruitBowl(tabletop: Tabletop): void {
  const { sheet, palette, shade } = tabletop;
  strokePath(sheet, "M214 964C130 980 128 1110 206 1120", mix(palette.d, shade, 0.12), 24);
  drawVessel(sheet, [296, 1236], JUG, palette.d, shade);
  drawVessel(sheet, [618, 1276], BOWL, palette.ground, shade);
  insideMouth(sheet, [618, 1080], 236, () => {
    for (const [index, at] of HEAP.entries()) drawHeapedFruit(tabletop, at, index % 2 === 1);
    for (const degrees of [-34, 28]) {
      drawLeaf(sheet, { at: [618, 940], length: 112, width: 34, degrees, fill: palette.ink, rib: palette.b });
    }
  });
  drawFruit(sheet, [888, 1296], 50, palette.c, shade);
}

const POT: Profile = [
  [98, 0],
  [170, 104],
  [78, 236],
];

const CUP: Profile = [
  [46, 0],
  [48, 12],
  [104, 122],
];

function drawTeapot({ sheet, palette, shade }: Tabletop): void {
  const clay = palette.d;
  const spout = "M520 1160C590 1150 594 1070 636 1022L668 1044C650 1110 632 1200 528 1218Z";
  strokePath(sheet, "M268 1052C150 1040 158 1196 282 1186", mix(clay, shade, 0.12), 24);
  fillPath(sheet, spout, clay);
  fillPath(sheet, spout, shade, 0.13);
  drawVessel(sheet, [400, 1252], POT, clay, shade);
  fillPath(sheet, "M314 1018C330 984 470 984 486 1018Z", mix(clay, shade, 0.1));
  fillDisc(sheet, [400, 980], 22, palette.c);
}

function drawCup({ sheet, palette, shade }: Tabletop): void {
  fillEllipse(sheet, [744, 1294], [168, 24], shade, 0.22);
  fillEllipse(sheet, [730, 1280], [164, 26], palette.c);
  strokePath(sheet, "M822 1176C894 1168 888 1240 792 1240", palette.ground, 18);
  drawVessel(sheet, [730, 1276], CUP, palette.ground, shade);
  for (const [index, lift] of [0, -34, 4].entries()) {
    const [x, y] = [690 + index * 40, 1108 + lift];
    strokePath(sheet, `M${x} ${y}C${x - 34} ${y - 50} ${x + 34} ${y - 92} ${x} ${y - 150}`, palette.ink, 8, 0.42);
  }
}

/** A teapot, a cup with its steam, and a sprig lying in front. */
export function drawTea(tabletop: Tabletop): void {
  drawTeapot(tabletop);
  drawCup(tabletop);
  drawSprig(tabletop);
}

function drawSprig({ sheet, palette, random }: Tabletop): void {
  const curve: Curve = [
    [236, 1356],
    [330, 1340],
    [430, 1372],
    [560, 1342],
  ];
  const ink = palette.ground;
  drawStem(sheet, curve, ink, 5);
  for (let pair = 0; pair < 6; pair++) {
    const share = 0.2 + (0.8 * pair) / 5;
    for (const side of [-1, 1]) {
      const degrees = headingOn(curve, share) + side * (46 + random() * 10);
      drawLeaf(sheet, { at: pointOn(curve, share), length: 58 - pair * 4, width: 15, degrees, fill: ink });
    }
  }
}
