import lighthouse from "lighthouse";
import { median } from "../harness/statistics.ts";

/** What Lighthouse says of a page: its mobile profile, times in milliseconds as it simulates them, scores of 100. */
export interface Audit {
  lcpMs: number;
  cls: number;
  tbtMs: number;
  performance: number;
  accessibility: number;
  bestPractices: number;
  seo: number;
  /** Audits below their best, for whoever wants to know why a score is no 100. */
  short: string[];
}

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
const NEARLY_ALL = 0.99;

const auditOnce = async (url: string, port: number): Promise<Audit> => {
  const run = await lighthouse(url, { port, output: "json", logLevel: "error", onlyCategories: [...CATEGORIES] });
  if (!run || run.lhr.runtimeError)
    throw new Error(`Lighthouse cannot look at ${url}: ${run?.lhr.runtimeError?.message}`);
  const { audits, categories } = run.lhr;
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

/** Looks at a page so many times with the browser that listens on `port`, and takes the middle of each figure. */
export const auditPage = async (url: string, port: number, times: number): Promise<Audit> => {
  const all: Audit[] = [];
  for (let n = 0; n < times; n += 1) all.push(await auditOnce(url, port));
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
