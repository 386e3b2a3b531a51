import { drawBranches } from "./arrangement-branches.ts";
import { drawBread, drawFruitBowl, drawTea } from "./arrangement-kitchen.ts";
import { drawCandles, drawPots } from "./arrangement-room.ts";
import type { Arrangement } from "./spec.ts";
import type { Tabletop } from "./tabletop.ts";

/** Everything that can stand on the table, by name. */
export const arrangements: Record<Arrangement, (tabletop: Tabletop) => void> = {
  branches: (tabletop) => drawBranches(tabletop, "blossom"),
  figs: (tabletop) => drawBranches(tabletop, "broad"),
  bread: drawBread,
  pots: drawPots,
  fruit: drawFruitBowl,
  candles: drawCandles,
  tea: drawTea,
};
