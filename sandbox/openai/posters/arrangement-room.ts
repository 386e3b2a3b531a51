import { between } from "../seed.ts";
import { drawLeaf } from "./botany.ts";
import { mix, warmth } from "./color.ts";
import { fillBox, fillEllipse, fillPath } from "./sheet.ts";
import type { Tabletop } from "./tabletop.ts";
import { drawVessel } from "./vessel.ts";

/** Three turned pots, the middle one planted. */
export function drawPots({ sheet, palette, shade, random }: Tabletop): void {
  const leaves = random() < 0.5 ? 5 : 7;
  drawVessel(
    sheet,
    [300, 1240],
    [
      [74, 0],
      [120, 150],
      [112, 260],
      [88, 320],
    ],
    palette.d,
    shade,
  );
  drawVessel(
    sheet,
    [772, 1250],
    [
      [48, 0],
      [72, 110],
      [34, 250],
      [52, 400],
    ],
    palette.c,
    shade,
  );
  const middle = (leaves - 1) / 2;
  const order = Array.from({ length: leaves }, (_, index) => index - middle);
  for (const offset of order.sort((one, other) => Math.abs(other) - Math.abs(one))) {
    drawLeaf(sheet, {
      at: [556 + offset * (170 / leaves), 1130],
      length: 262 - Math.abs(offset) * 38 + between(random, -16, 22),
      width: 34,
      degrees: offset * (120 / leaves),
      fill: Math.round(offset + middle) % 2 ? palette.c : palette.ink,
      rib: palette.b,
    });
  }
  drawVessel(
    sheet,
    [556, 1270],
    [
      [92, 0],
      [150, 96],
      [150, 150],
    ],
    palette.ground,
    shade,
  );
}

function drawCandle(tabletop: Tabletop, x: number, foot: number, height: number, wax: string): void {
  const { sheet, palette, shade } = tabletop;
  const top = foot - 226 - height;
  const [flame, stick] = warmth(palette.c) > warmth(palette.d) ? [palette.c, palette.d] : [palette.d, palette.c];
  fillPath(sheet, `M${x - 17} ${foot - 214}V${top}H${x + 17}V${foot - 214}Z`, wax);
  fillPath(sheet, `M${x} ${foot - 214}V${top}H${x + 17}V${foot - 214}Z`, shade, 0.1);
  drawLeaf(sheet, { at: [x, top - 8], length: 74, width: 21, degrees: 0, fill: flame });
  drawVessel(
    sheet,
    [x, foot],
    [
      [70, 0],
      [66, 18],
      [15, 46],
      [14, 170],
      [40, 196],
      [42, 222],
    ],
    stick,
    shade,
  );
}

function drawBook(tabletop: Tabletop, x: number, y: number, width: number, cover: string): void {
  const { sheet, palette, shade } = tabletop;
  fillBox(sheet, [x, y - 46], [x + width, y], cover);
  fillBox(sheet, [x + width - 16, y - 38], [x + width + 1, y - 8], palette.ground);
  fillBox(sheet, [x + 34, y - 46], [x + 42, y], shade, 0.25);
  fillBox(sheet, [x, y - 10], [x + width, y], shade, 0.12);
}

/** Candlesticks of different heights beside a stack of books. */
export function drawCandles(tabletop: Tabletop): void {
  const { sheet, palette, shade, random } = tabletop;
  const wax = palette.ground;
  drawCandle(tabletop, 258, 1224, between(random, 150, 230), wax);
  drawCandle(tabletop, 424, 1262, between(random, 60, 140), wax);
  fillEllipse(sheet, [700, 1288], [230, 18], shade, 0.22);
  const covers = [palette.c, palette.d, mix(palette.b, palette.ground, 0.35)];
  covers.forEach((cover, index) => {
    drawBook(tabletop, 520 + index * 26 + between(random, -12, 12), 1286 - index * 46, 370 - index * 52, cover);
  });
  for (const degrees of [-30, -8, 16, 40]) {
    const fill = degrees === -8 || degrees === 40 ? palette.ink : palette.c;
    drawLeaf(sheet, {
      at: [716, 1030],
      length: 190 - Math.abs(degrees) * 1.4,
      width: 28,
      degrees,
      fill,
      rib: palette.b,
    });
  }
  drawVessel(
    sheet,
    [716, 1148],
    [
      [44, 0],
      [74, 60],
      [62, 118],
      [40, 138],
    ],
    palette.ground,
    shade,
  );
}
