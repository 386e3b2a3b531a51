import { between, pick } from "../seed.ts";
import { type Curve, drawLeaf, drawStem, headingOn, pointOn } from "./botany.ts";
import { type Herbarium, stemTo } from "./plants.ts";
import { fillDisc, type Point, strokePath } from "./sheet.ts";

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
export function drawUmbel(herbarium: Herbarium): void {
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
