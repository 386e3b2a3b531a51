import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { type Audit, auditPage, middleOf } from "./audit-page.ts";
import { openHarness, type WebHarness } from "./harness.ts";
import { publicPages } from "./pages.ts";
import { type Weight, weighPage } from "./weigh-page.ts";

/** How often a failing page is audited again: other processes can only make it slower. */
const MAX_AUDITS = { full: 3, small: 1 } as const;
/** No page is audited again after this long. */
const REPEAT_UNTIL_MS = 210_000;
const SCORE_MIN = 98;
const LCP_MAX = 1.3;
const SCRIPT_MAX = 1.15;
/** The landing page may be a little heavier. */
const LANDING_SCRIPT_MAX = 1.25;

const HEAD = [
  "page",
  "JS KB",
  "JS ×",
  "HTML KB",
  "gzip",
  "LCP ms",
  "LCP ×",
  "CLS",
  "TBT ms",
  "perf",
  "a11y",
  "best",
  "SEO",
];

interface PageResult extends Weight, Audit {
  page: string;
}

interface Page {
  path: string;
  url: string;
  weight: Weight;
  audits: Audit[];
}

/** Takes pages from `work` until it is empty, one per browser: an audit mostly waits. */
async function inEachBrowser<Item>(
  { browserPorts }: WebHarness,
  work: Iterable<Item>,
  act: (item: Item, port: number) => Promise<void>,
): Promise<void> {
  const items = work[Symbol.iterator]();
  await Promise.all(
    browserPorts.map(async (port) => {
      for (let next = items.next(); !next.done; next = items.next()) await act(next.value, port);
    }),
  );
}

const toResult = ({ path, weight, audits }: Page): PageResult => ({ page: path, ...weight, ...middleOf(audits) });

const kB = (bytes: number): number => round(bytes / 1_000);

const rowOf = (result: PageResult, baseline: PageResult): (string | number)[] => [
  result.page,
  kB(result.scriptGzipBytes),
  round(result.scriptGzipBytes / baseline.scriptGzipBytes, 2),
  kB(result.htmlBytes),
  kB(result.htmlGzipBytes),
  Math.round(result.lcpMs),
  round(result.lcpMs / baseline.lcpMs, 2),
  round(result.cls, 3),
  Math.round(result.tbtMs),
  ...[result.performance, result.accessibility, result.bestPractices, result.seo],
];

/** The targets that a page misses; empty if it meets them all. */
const targetsMissedBy = (result: PageResult, baseline: PageResult): string[] => {
  const scriptMax = result.page === "/" ? LANDING_SCRIPT_MAX : SCRIPT_MAX;
  const scores = [result.performance, result.accessibility, result.bestPractices, result.seo];
  return [
    ...(result.scriptGzipBytes > baseline.scriptGzipBytes * scriptMax ? ["JavaScript"] : []),
    ...(result.lcpMs > baseline.lcpMs * LCP_MAX ? ["LCP"] : []),
    ...(round(result.cls, 2) > 0 ? ["CLS"] : []),
    ...(scores.some((score) => score < SCORE_MIN) ? [`scores (${result.short.join(", ")})`] : []),
  ];
};

const evaluate = (all: readonly PageResult[], baseline: PageResult): { verdict: Verdict; reason: string } => {
  const missed = all.flatMap((result) => {
    const what = targetsMissedBy(result, baseline);
    return what.length === 0 ? [] : [`${result.page}: ${what.join(", ")}`];
  });
  if (missed.length === 0) return { verdict: "met", reason: `all ${all.length} pages meet every target` };
  return { verdict: "missed", reason: `${missed.length} of ${all.length} pages miss a target: ${missed.join("; ")}` };
};

async function run({ size, log }: BenchOptions): Promise<BenchResult> {
  log("building and starting the product, the bare page and the browser…");
  const harness = await openHarness();
  const startedAt = performance.now();
  const pageAt = async (url: string): Promise<Page> => ({
    ...{ path: new URL(url).pathname, url, audits: [] },
    weight: await weighPage(url),
  });
  const audit = async (page: Page, port: number) => {
    log(page.audits.length === 0 ? page.path : `${page.path}, again`);
    page.audits.push(await auditPage(page.url, port));
  };
  try {
    const bare = { ...(await pageAt(harness.baselineUrl)), path: "a bare Next page" };
    const pages = await Promise.all(publicPages().map((path) => pageAt(new URL(path, harness.productUrl).href)));
    await inEachBrowser(harness, [bare, ...pages], audit);
    for (let nth = 1; nth < MAX_AUDITS[size]; nth += 1) {
      const short = pages.filter((page) => targetsMissedBy(toResult(page), toResult(bare)).length > 0);
      await inEachBrowser(harness, short, async (page, port) => {
        if (performance.now() - startedAt < REPEAT_UNTIL_MS) await audit(page, port);
      });
    }
    const [baseline, all] = [toResult(bare), pages.map(toResult)];
    return {
      ...evaluate(all, baseline),
      table: [HEAD, rowOf(baseline, baseline), ...all.map((result) => rowOf(result, baseline))],
      metrics: { baseline, pages: all },
    };
  } finally {
    await harness.stop();
  }
}

/** `npm run bench -- web`. Excludes redirects and pages that require signing in. */
export const webBench: Bench = {
  name: "web",
  what: "each public page vs. a bare Next page; targets: JS ≤ 1.15 × (landing 1.25), LCP ≤ 1.3 ×, CLS 0, scores ≥ 98",
  run,
};
