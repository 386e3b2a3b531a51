import type { Made, Product, Provider } from "./product.ts";

/** What a scene was to reach and what it did; a ratio of 1 is perfect. */
export interface Measured {
  scene: string;
  /** What the ratio says, and its aim. */
  says: string;
  ratio: number;
  aim: number;
  isBetterHigh: boolean;
  detail: string;
}

/** Places to draw, here and at the stand-in. */
export const PLACES = 10;
const MINUTE_MS = 60_000;
/** A second's worth of the quota may begin at once. */
const BURST = 2;
const FIXED: Provider = {
  imageLatencyMs: 3_000,
  textLatencyMs: 900,
  picturesInFlight: PLACES,
  picturesPerMinute: 0,
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const efficiency = (scene: string, idealMs: number, lastMs: number, detail: string): Measured => {
  const says = `ideal ${seconds(idealMs)} over ${seconds(lastMs)}`;
  return { scene, says, ratio: idealMs / lastMs, aim: 0.95, isBetterHigh: true, detail };
};

const callsOf = async (product: Product): Promise<string> => {
  const { answered, refused, mostInFlight } = await product.imageCalls();
  return `${answered} pictures, ${refused} refused by the limit, at most ${mostInFlight} at once`;
};

/** A hundred keywords of one user, as fast as the places allow; and how soon the first pin is there. */
const hundred = async (product: Product): Promise<Measured[]> => {
  const [maker] = await product.makers(1);
  if (!maker) throw new Error("There is no maker.");
  await product.setProvider(FIXED);
  const before = product.cpuMs();
  const [made] = await product.make([{ maker, pins: 100 }]);
  const after = product.cpuMs();
  if (!made) throw new Error("Nothing was made.");
  const idealMs = (100 * FIXED.imageLatencyMs) / PLACES;
  return [
    efficiency(
      "100 keywords, 10 places",
      idealMs,
      made.lastMs,
      `${await callsOf(product)}; CPU ms per pin: app ${(after.app - before.app) / 100}, executor ${(after.executor - before.executor) / 100}`,
    ),
    {
      scene: "first of 100 pins",
      says: `${seconds(made.firstMs)} over one picture's ${seconds(FIXED.imageLatencyMs)}`,
      ratio: made.firstMs / FIXED.imageLatencyMs,
      aim: 1.2,
      isBetterHigh: false,
      detail: "from the press of the button to the draft",
    },
  ];
};

/** The same under a quota per minute that is half of what the places would allow. */
const underQuota = async (product: Product): Promise<Measured[]> => {
  const [maker] = await product.makers(1);
  if (!maker) throw new Error("There is no maker.");
  const picturesPerMinute = 120;
  await product.setProvider({ ...FIXED, picturesPerMinute });
  const [made] = await product.make([{ maker, pins: 60 }]);
  // The last picture may begin with the quota's last token, and then takes its time.
  const idealMs = ((60 - BURST) * MINUTE_MS) / picturesPerMinute + FIXED.imageLatencyMs;
  return [
    efficiency(
      `60 keywords, ${picturesPerMinute} pictures a minute`,
      idealMs,
      made?.lastMs ?? 0,
      await callsOf(product),
    ),
  ];
};

/** By what an even share of the places would give each: everybody draws at the same rate until they are done. */
const evenShareMs = (orders: readonly number[], rate: number): number[] => {
  const sorted = orders.map((pins, index) => ({ pins, index })).toSorted((a, b) => a.pins - b.pins);
  const shares: number[] = [];
  let atMs = 0;
  let done = 0;
  for (const [served, { pins, index }] of sorted.entries()) {
    atMs += ((pins - done) * (sorted.length - served)) / rate;
    done = pins;
    shares[index] = atMs;
  }
  return shares;
};

/** Ten users at the same moment: how much longer than an even share of the places did the worst of them wait? */
const together = async (product: Product, scene: string, pins: readonly number[]): Promise<Measured[]> => {
  const makers = await product.makers(pins.length);
  await product.setProvider(FIXED);
  const made = await product.make(makers.map((maker, index) => ({ maker, pins: pins[index] ?? 0 })));
  const shares = evenShareMs(pins, PLACES / FIXED.imageLatencyMs);
  const ratios = made.map(({ lastMs }: Made, index) => lastMs / (shares[index] ?? 1));
  const worst = Math.max(...ratios);
  const at = ratios.indexOf(worst);
  const lastMs = Math.max(...made.map((one) => one.lastMs));
  return [
    {
      scene,
      says: `slowest ${seconds(made[at]?.lastMs ?? 0)} over an even share's ${seconds(shares[at] ?? 0)}`,
      ratio: worst,
      aim: 1.2,
      isBetterHigh: false,
      detail: `${await callsOf(product)}; all after ${seconds(lastMs)}`,
    },
  ];
};

/** A fresh server reads its code when it is first needed; what is measured is the one that has been running. */
const warmUp = async (product: Product): Promise<void> => {
  const makers = await product.makers(2);
  await product.setProvider({ ...FIXED, imageLatencyMs: 100, textLatencyMs: 50 });
  await product.make(makers.map((maker) => ({ maker, pins: 15 })));
};

/** All scenes, in order; each says how it went as soon as it is over. */
export const runScenes = async (
  product: Product,
  size: "full" | "small",
  say: (line: string) => void,
): Promise<Measured[]> => {
  const all = [
    () => hundred(product),
    () => underQuota(product),
    () => together(product, "10 users, 10 keywords each", Array(10).fill(10)),
    () => together(product, "10 users, one with 100, nine with 10", [100, ...Array(9).fill(10)]),
  ];
  await warmUp(product);
  const measured: Measured[] = [];
  for (const scene of size === "full" ? all : all.slice(0, 1)) {
    const found = await scene();
    for (const { scene: name, says, ratio } of found) say(`${name}: ${says}, ${ratio.toFixed(3)}`);
    measured.push(...found);
  }
  return measured;
};
