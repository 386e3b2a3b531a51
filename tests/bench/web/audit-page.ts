import lighthouse, { type Flags } from "lighthouse";
import { median } from "../harness/statistics.ts";

/** What Lighthouse says of a page: its mobile profile, times in milliseconds, scores of 100. */
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

/**
 * Looks at a page once with the browser that listens on `port`. Line and processor are slowed while the page loads:
 * what Lighthouse reckons from a load at full speed varies by a factor of three for one and the same page.
 */
export const auditPage = async (url: string, port: number): Promise<Audit> => {
  const flags: Flags = { port, onlyCategories: [...CATEGORIES], throttlingMethod: "devtools" };
  const run = await lighthouse(url, { ...flags, output: "json", logLevel: "error" });
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

/** The middle of each figure of several looks at a page. */
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
