import { between, pick } from "../seed.ts";
import { type Curve, drawLeaf, drawStem, headingOn, pointOn } from "./botany.ts";
import { fillDisc, type Point } from "./sheet.ts";
import type { Tabletop } from "./tabletop.ts";
import { drawFruit, drawVessel, type Profile } from "./vessel.ts";

const VASES: readonly Profile[] = [
  [
    [78, 0],
    [128, 110],
    [98, 230],
    [46, 280],
    [58, 316],
  ],
  [
    [70, 0],
    [96, 60],
    [134, 200],
    [88, 286],
    [52, 316],
  ],
  [
    [94, 0],
    [112, 80],
    [104, 190],
    [40, 262],
    [46, 316],
  ],
];

const TIPS: readonly Point[] = [
  [300, 560],
  [470, 500],
  [620, 590],
  [380, 690],
];

const MIDDLE = 452;
const FOOT = 1240;

function drawBranch({ sheet, palette, random }: Tabletop, curve: Curve, kind: "blossom" | "broad", ink: string): void {
  drawStem(sheet, curve, ink, 6);
  for (let pair = 0; pair < 7; pair++) {
    const share = 0.34 + (0.66 * pair) / 6;
    for (const side of [-1, 1]) {
      drawLeaf(sheet, {
        at: pointOn(curve, share),
        length: 86 * (1.15 - 0.4 * share),
        width: kind === "broad" ? 34 : 20,
        degrees: headingOn(curve, share) + side * (52 + random() * 12),
        fill: random() < 0.5 ? palette.c : ink,
      });
    }
  }
  if (kind === "blossom") fillDisc(sheet, curve[3], 26, palette.d);
}

/** Cut branches in a vase, a bowl beside it and two fruits. */
export function drawBranches(tabletop: Tabletop, kind: "blossom" | "broad"): void {
  const { sheet, palette, shade, random } = tabletop;
  TIPS.forEach(([tipX, tipY], index) => {
    const tip: Point = [tipX + between(random, -34, 34), tipY + between(random, -14, 44)];
    const curve: Curve = [
      [MIDDLE + (index - 1.5) * 12, 930],
      [MIDDLE + (index - 1.5) * 30, 820],
      [(MIDDLE + tip[0]) / 2, 700],
      tip,
    ];
    drawBranch(tabletop, curve, kind, palette.ink);
  });
  drawVessel(sheet, [MIDDLE, FOOT], pick(random, VASES), palette.d, shade);
  drawVessel(
    sheet,
    [700, FOOT + 36],
    [
      [62, 0],
      [112, 70],
      [120, 118],
    ],
    palette.ground,
    shade,
  );
  drawFruit(sheet, [between(random, 566, 596), 1332], 44, palette.c, shade);
  drawFruit(sheet, [between(random, 850, 880), 1322], 36, palette.c, shade);
}
