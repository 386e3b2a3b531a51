import type { Page } from "@playwright/test";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { percentile, round } from "../harness/statistics.ts";
import { type Measured, observe, type Scrolled, SHORTEST_MS } from "./interactions.ts";
import { type CalendarProduct, startCalendar } from "./product.ts";
import { inList, inMonth, type Results } from "./uses.ts";

const PINS = { full: { month: 500, list: 2_000 }, small: { month: 200, list: 500 } } as const;
/** How often each thing is done. */
const TIMES = { full: 20, small: 4 } as const;
const SCROLL_FRAMES = { full: 600, small: 100 } as const;
const MAX_MS = 100;
/** More than two frames of a screen with 60 Hz. */
const SLOW_FRAME_MS = 34;
const SLOW_SHARE_MAX = 0.05;

const HEAD = ["", "times", "p50 ms", "max ms", "long tasks", "longest ms", "CPU ms, p50"];

interface Opened {
  page: Page;
  paintMs: number;
}

/** Opens a page, and waits until its scripts have run and the boards have come. */
const openPage = async ({ context }: CalendarProduct, url: string): Promise<Opened> => {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => document.querySelectorAll("select option").length > 5);
  const paintMs = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
  return { page, paintMs };
};

const shareOfSlow = (frames: readonly number[]): number =>
  frames.filter((ms) => ms > SLOW_FRAME_MS).length / Math.max(1, frames.length);

const evaluate = (results: Results, { frames }: Scrolled, painted: number): { verdict: Verdict; reason: string } => {
  if (painted === 0) return { verdict: "wrong", reason: "the server's response has no pins" };
  const slow = [...results].filter(([, { interactions }]) => interactions.some((ms) => ms > MAX_MS));
  const missed = slow.map(([name]) => `over ${MAX_MS} ms: ${name}`);
  const slowShare = shareOfSlow(frames);
  if (slowShare > SLOW_SHARE_MAX) missed.push(`${round(100 * slowShare)}% of the frames were slow`);
  if (missed.length > 0) return { verdict: "missed", reason: missed.join("; ") };
  return { verdict: "met", reason: `every interaction was painted within ${MAX_MS} ms, and scrolling was smooth` };
};

const rowOf = (name: string, { interactions: ms, longTasks, cpuMs }: Measured): (string | number)[] => [
  name,
  ms.length,
  ms.length === 0 ? "" : round(percentile(ms, 50)),
  ms.length === 0 ? "" : round(Math.max(...ms)),
  longTasks.length,
  round(Math.max(0, ...longTasks), 0),
  cpuMs.length === 0 ? "" : round(percentile(cpuMs, 50), 0),
];

const timesOnly = (interactions: number[]): Measured => ({ interactions, longTasks: [], cpuMs: [] });

const measureAll = async (product: CalendarProduct, { size, log }: BenchOptions) => {
  await product.context.addInitScript(observe, SHORTEST_MS);
  const html = await product.read(product.monthUrl);
  const painted = new Set(html.match(/data-pin-id="[^"]+"/g)).size;
  const results: Results = new Map<string, Measured>();
  log(`${PINS[size].month} pins in a month`);
  const month = await openPage(product, product.monthUrl);
  await inMonth(month.page, TIMES[size], results);
  await month.page.close();
  log(`${PINS[size].list} pins in a list`);
  const list = await openPage(product, product.listUrl);
  const scrolled = await inList(list.page, { times: TIMES[size], frames: SCROLL_FRAMES[size] }, results);
  return { results, scrolled, painted, paintMs: [month.paintMs, list.paintMs] };
};

async function run(options: BenchOptions): Promise<BenchResult> {
  options.log("building and starting the product and the browser…");
  const product = await startCalendar(PINS[options.size]);
  try {
    const { results, scrolled, painted, paintMs } = await measureAll(product, options);
    const { frames, rowsMax } = scrolled;
    return {
      ...evaluate(results, scrolled, painted),
      table: [
        HEAD,
        rowOf("first paint of month and list", timesOnly(paintMs)),
        ...[...results].map(([name, measured]) => rowOf(name, measured)),
        rowOf("frames while scrolling", timesOnly(frames)),
      ],
      metrics: { ...Object.fromEntries(results), paintMs, painted, slowFrames: shareOfSlow(frames), rowsMax },
    };
  } finally {
    await product.stop();
  }
}

/** `npm run bench -- calendar`: the browser's Event Timing, from an input to the next paint. */
export const calendarBench: Bench = {
  name: "calendar",
  what: `500 pins in a month, 2,000 in a list; targets: each interaction within ${MAX_MS} ms, at most 5% slow frames`,
  run,
};
