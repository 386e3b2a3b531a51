import lighthouse, { type Flags, type Result } from "lighthouse";
import { median } from "../harness/statistics.ts";

/** What Lighthouse says of a page: its mobile profile, times in milliseconds, scores of 100. */
export interface Audit {
  /** On a line and a processor that are slowed while the page loads, as the profile says. */
  lcpMs: number;
  /** As Lighthouse reckons it from a load at full speed; the performance score counts this one. */
  simulatedLcpMs: number;
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

const LCP = "largest-contentful-paint";

const lookAt = async (url: string, flags: Flags): Promise<Result> => {
  const run = await lighthouse(url, { ...flags, output: "json", logLevel: "error" });
  if (!run || run.lhr.runtimeError)
    throw new Error(`Lighthouse cannot look at ${url}: ${run?.lhr.runtimeError?.message}`);
  return run.lhr;
};

const auditOnce = async (url: string, port: number): Promise<Audit> => {
  const { audits, categories } = await lookAt(url, { port, onlyCategories: [...CATEGORIES] });
  const slowed = await lookAt(url, { port, onlyAudits: [LCP], throttlingMethod: "devtools" });
  const score = (name: (typeof CATEGORIES)[number]) => Math.round((categories[name]?.score ?? 0) * 100);
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN;
  const refs = CATEGORIES.flatMap((name) => categories[name]?.auditRefs ?? []).filter(({ weight }) => weight > 0);
  return {
    lcpMs: slowed.audits[LCP]?.numericValue ?? Number.NaN,
    simulatedLcpMs: value(LCP),
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
    simulatedLcpMs: middle(({ simulatedLcpMs }) => simulatedLcpMs),
    cls: middle(({ cls }) => cls),
    tbtMs: middle(({ tbtMs }) => tbtMs),
    performance: middle(({ performance }) => performance),
    accessibility: middle(({ accessibility }) => accessibility),
    bestPractices: middle(({ bestPractices }) => bestPractices),
    seo: middle(({ seo }) => seo),
    short: [...new Set(all.flatMap(({ short }) => short))],
  };
};
