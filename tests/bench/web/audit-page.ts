import { execFile } from "node:child_process";
import { promisify } from "node:util";
import lighthouse, { type Flags } from "lighthouse";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import { median } from "../harness/statistics.ts";

const run = promisify(execFile);
/** Timeout of an audit, which normally takes about twenty seconds. */
const DEADLINE_MS = 120_000;

/** Lighthouse results of a page: mobile profile, times in milliseconds, scores out of 100. */
const audit = z.object({
  lcpMs: z.number(),
  cls: z.number(),
  tbtMs: z.number(),
  performance: z.number(),
  accessibility: z.number(),
  bestPractices: z.number(),
  seo: z.number(),
  /** Failed audits, to explain a score below 100. */
  short: z.array(z.string()),
});
export type Audit = z.infer<typeof audit>;

/** Audits a page in a separate process: Lighthouse can't run twice in one process. */
export async function auditPage(url: string, port: number): Promise<Audit> {
  const worker = inRepository("tests", "bench", "web", "worker.ts");
  const { stdout } = await run(process.execPath, [worker, url, String(port)], { timeout: DEADLINE_MS });
  return audit.parse(JSON.parse(stdout));
}

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
const NEARLY_ALL = 0.99;

/**
 * Audits a page with the browser on `port`. Network and CPU are throttled during the load, because simulated throttling
 * varies by a factor of three for the same page.
 */
export const auditHere = async (url: string, port: number): Promise<Audit> => {
  const flags: Flags = { port, onlyCategories: [...CATEGORIES], throttlingMethod: "devtools" };
  const result = await lighthouse(url, { ...flags, output: "json", logLevel: "error" });
  if (!result || result.lhr.runtimeError)
    throw new Error(`Lighthouse cannot look at ${url}: ${result?.lhr.runtimeError?.message}`);
  const { audits, categories } = result.lhr;
  const score = (name: (typeof CATEGORIES)[number]) => Math.round((categories[name]?.score ?? 0) * 100);
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN;
  const refs = CATEGORIES.flatMap((name) => categories[name]?.auditRefs ?? []).filter(({ weight }) => weight > 0);
  return {
    lcpMs: value("largest-contentful-paint"),
    cls: value("cumulative-layout-shift"),
    tbtMs: value("total-blocking-time"),
    performance: score("performance"),
    accessibility: score("accessibility"),
    bestPractices: score("best-practices"),
    seo: score("seo"),
    short: refs.flatMap(({ id }) => ((audits[id]?.score ?? 1) < NEARLY_ALL ? [id] : [])),
  };
};

/** The median of each metric over several audits. */
export const middleOf = (all: readonly Audit[]): Audit => {
  const middle = (pick: (audit: Audit) => number) => median(all.map(pick));
  return {
    lcpMs: middle(({ lcpMs }) => lcpMs),
    cls: middle(({ cls }) => cls),
    tbtMs: middle(({ tbtMs }) => tbtMs),
    performance: middle(({ performance }) => performance),
    accessibility: middle(({ accessibility }) => accessibility),
    bestPractices: middle(({ bestPractices }) => bestPractices),
    seo: middle(({ seo }) => seo),
    short: [...new Set(all.flatMap(({ short }) => short))],
  };
};
