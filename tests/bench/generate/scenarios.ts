import type { GroupTimes, Product, Provider } from "./product.ts";

/** The result of a scenario; a ratio of 1 is perfect. */
export interface Measured {
  scenario: string;
  /** The ratio's meaning and target. */
  meaning: string;
  ratio: number;
  target: number;
  isBetterHigh: boolean;
  detail: string;
}

/** Image slots, here and at the stand-in. */
export const SLOTS = 10;
const MINUTE_MS = 60_000;
/** One second's worth of the quota may start at once. */
const BURST = 2;
const FIXED: Provider = {
  imageLatencyMs: 3_000,
  textLatencyMs: 900,
  imagesInFlight: SLOTS,
  imagesPerMinute: 0,
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const efficiency = (scenario: string, idealMs: number, lastMs: number, detail: string): Measured => {
  const meaning = `ideal ${seconds(idealMs)} over ${seconds(lastMs)}`;
  return { scenario, meaning, ratio: idealMs / lastMs, target: 0.95, isBetterHigh: true, detail };
};

const callsOf = async (product: Product): Promise<string> => {
  const { answered, refused, mostInFlight } = await product.imageCalls();
  return `${answered} images, ${refused} rejected by the limit, at most ${mostInFlight} at once`;
};

/** A hundred keywords of one user, limited only by the slots, and the time to the first pin. */
const hundred = async (product: Product): Promise<Measured[]> => {
  const [user] = await product.users(1);
  if (!user) throw new Error("There is no user.");
  await product.setProvider(FIXED);
  const before = product.cpuMs();
  const [generated] = await product.generate([{ user, pins: 100 }]);
  const after = product.cpuMs();
  if (!generated) throw new Error("Nothing was generated.");
  const idealMs = (100 * FIXED.imageLatencyMs) / SLOTS;
  return [
    efficiency(
      "100 keywords, 10 slots",
      idealMs,
      generated.lastMs,
      `${await callsOf(product)}; CPU ms per pin: app ${(after.app - before.app) / 100}, executor ${(after.executor - before.executor) / 100}`,
    ),
    {
      scenario: "first of 100 pins",
      meaning: `${seconds(generated.firstMs)} over one image's ${seconds(FIXED.imageLatencyMs)}`,
      ratio: generated.firstMs / FIXED.imageLatencyMs,
      target: 1.2,
      isBetterHigh: false,
      detail: "from the click to the draft",
    },
  ];
};

/** The same with a quota per minute of half of what the slots allow. */
const underQuota = async (product: Product): Promise<Measured[]> => {
  const [user] = await product.users(1);
  if (!user) throw new Error("There is no user.");
  const imagesPerMinute = 120;
  await product.setProvider({ ...FIXED, imagesPerMinute });
  const [generated] = await product.generate([{ user, pins: 60 }]);
  // The last image may start with the quota's last token and then takes its full time.
  const idealMs = ((60 - BURST) * MINUTE_MS) / imagesPerMinute + FIXED.imageLatencyMs;
  return [
    efficiency(
      `60 keywords, ${imagesPerMinute} images a minute`,
      idealMs,
      generated?.lastMs ?? 0,
      await callsOf(product),
    ),
  ];
};

/** The ideal times when all users share the slots evenly until they are done. */
const evenShareMs = (groups: readonly number[], rate: number): number[] => {
  const sorted = groups.map((pins, index) => ({ pins, index })).toSorted((a, b) => a.pins - b.pins);
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

/** Ten users at once: how much longer than with an even share of the slots did the slowest wait? */
const concurrent = async (product: Product, scenario: string, pins: readonly number[]): Promise<Measured[]> => {
  const users = await product.users(pins.length);
  await product.setProvider(FIXED);
  const generated = await product.generate(users.map((user, index) => ({ user, pins: pins[index] ?? 0 })));
  const shares = evenShareMs(pins, SLOTS / FIXED.imageLatencyMs);
  const ratios = generated.map(({ lastMs }: GroupTimes, index) => lastMs / (shares[index] ?? 1));
  const worst = Math.max(...ratios);
  const at = ratios.indexOf(worst);
  const lastMs = Math.max(...generated.map((item) => item.lastMs));
  return [
    {
      scenario,
      meaning: `slowest ${seconds(generated[at]?.lastMs ?? 0)} over an even share's ${seconds(shares[at] ?? 0)}`,
      ratio: worst,
      target: 1.2,
      isBetterHigh: false,
      detail: `${await callsOf(product)}; all after ${seconds(lastMs)}`,
    },
  ];
};

/** Warms up the server, which loads code on demand. */
const warmUp = async (product: Product): Promise<void> => {
  const users = await product.users(2);
  await product.setProvider({ ...FIXED, imageLatencyMs: 100, textLatencyMs: 50 });
  await product.generate(users.map((user) => ({ user, pins: 15 })));
};

/** Runs all scenarios in order and reports each as soon as it is done. */
export const runScenarios = async (
  product: Product,
  size: "full" | "small",
  log: (line: string) => void,
): Promise<Measured[]> => {
  const all = [
    () => hundred(product),
    () => underQuota(product),
    () => concurrent(product, "10 users, 10 keywords each", Array(10).fill(10)),
    () => concurrent(product, "10 users, one with 100, nine with 10", [100, ...Array(9).fill(10)]),
  ];
  await warmUp(product);
  const measured: Measured[] = [];
  for (const scenario of size === "full" ? all : all.slice(0, 1)) {
    const results = await scenario();
    for (const { scenario: name, meaning, ratio } of results) log(`${name}: ${meaning}, ${ratio.toFixed(3)}`);
    measured.push(...results);
  }
  return measured;
};
