import { between, pick } from "../seed.ts";
import { drawLeaf } from "./botany.ts";
import type { Herbarium } from "./plants.ts";
import { fillDisc, type Point, strokePath } from "./sheet.ts";

const MIDDLE: Point = [512, 636];
const RADIUS = 300;
const LEAVES = 64;
const BERRIES = 14;
const TURN = Math.PI * 2;

function onRing(angle: number, radius: number): Point {
  return [MIDDLE[0] + Math.cos(angle) * radius, MIDDLE[1] + Math.sin(angle) * radius];
}

/** A ring of leaves that all lean one way, with berries strewn among them. */
export function drawWreath({ sheet, palette, random }: Herbarium): void {
  const [x, y] = MIDDLE;
  const ring = `M${x - RADIUS} ${y}A${RADIUS} ${RADIUS} 0 1 1 ${x + RADIUS} ${y}A${RADIUS} ${RADIUS} 0 1 1 ${x - RADIUS} ${y}Z`;
  strokePath(sheet, ring, palette.ink, 10);
  const way = random() < 0.5 ? 1 : -1;
  for (let index = 0; index < LEAVES; index++) {
    const degrees = (index / LEAVES) * 360 + random() * 4;
    const side = index % 2 === 0 ? -1 : 1;
    const along = way > 0 ? degrees + 180 : degrees;
    drawLeaf(sheet, {
      at: onRing((degrees * Math.PI) / 180, RADIUS),
      length: between(random, 112, 172),
      width: between(random, 22, 36),
      degrees: along + side * between(random, 34, 56),
      fill: pick(random, [palette.a, palette.a, palette.b, palette.ink]),
      rib: palette.ground,
    });
  }
  for (let index = 0; index < BERRIES; index++) {
    const at = onRing(random() * TURN, RADIUS + between(random, -45, 45));
    fillDisc(sheet, at, between(random, 13, 22), random() < 0.6 ? palette.d : palette.c);
  }
}
