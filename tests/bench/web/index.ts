import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { type Audit, auditPage } from "./audit-page.ts";
import { openHouse, type WebHouse } from "./house.ts";
import { publicPages } from "./pages.ts";
import { type Weight, weighPage } from "./weigh-page.ts";

const TIMES = { full: 3, small: 1 } as const;
const SCORE_MIN = 98;
const LCP_MAX = 1.3;
const SCRIPT_MAX = 1.15;
/** The landing page may show a little more. */
const LANDING_SCRIPT_MAX = 1.25;

const HEAD = [
  "page",
  "JS kB",
  "JS ×",
  "HTML kB",
  "gzip",
  "LCP ms",
  "LCP ×",
  "simulated",
  "CLS",
  "TBT ms",
  "perf",
  "a11y",
  "best",
  "SEO",
];

interface Found extends Weight, Audit {
  page: string;
}

const look = async (house: WebHouse, origin: string, page: string, times: number): Promise<Found> => {
  const url = new URL(page, origin).href;
  return { page, ...(await weighPage(url)), ...(await auditPage(url, house.browserPort, times)) };
};

const kB = (bytes: number): number => round(bytes / 1_000);

const rowOf = (found: Found, floor: Found): (string | number)[] => [
  found.page,
  kB(found.scriptGzipBytes),
  round(found.scriptGzipBytes / floor.scriptGzipBytes, 2),
  kB(found.htmlBytes),
  kB(found.htmlGzipBytes),
  Math.round(found.lcpMs),
  round(found.lcpMs / floor.lcpMs, 2),
  Math.round(found.simulatedLcpMs),
  round(found.cls, 3),
  Math.round(found.tbtMs),
  ...[found.performance, found.accessibility, found.bestPractices, found.seo],
];

/** In what a page falls short of the aims; nothing when it meets them all. */
const shortcomings = (found: Found, floor: Found): string[] => {
  const scriptMax = found.page === "/" ? LANDING_SCRIPT_MAX : SCRIPT_MAX;
  const scores = [found.performance, found.accessibility, found.bestPractices, found.seo];
  return [
    ...(found.scriptGzipBytes > floor.scriptGzipBytes * scriptMax ? ["JavaScript"] : []),
    ...(found.lcpMs > floor.lcpMs * LCP_MAX ? ["LCP"] : []),
    ...(found.cls > 0 ? ["CLS"] : []),
    ...(scores.some((score) => score < SCORE_MIN) ? [`scores (${found.short.join(", ")})`] : []),
  ];
};

const judge = (all: readonly Found[], floor: Found): { verdict: Verdict; because: string } => {
  const missed = all.flatMap((found) => {
    const what = shortcomings(found, floor);
    return what.length === 0 ? [] : [`${found.page}: ${what.join(", ")}`];
  });
  if (missed.length === 0) return { verdict: "met", because: `all ${all.length} pages meet every aim` };
  return { verdict: "missed", because: `${missed.length} of ${all.length} pages fall short: ${missed.join("; ")}` };
};

async function run({ size, say }: BenchOptions): Promise<BenchResult> {
  say("building and starting the product, the bare page and the browser …");
  const house = await openHouse();
  try {
    const floor = await look(house, house.floorUrl, "/", TIMES[size]);
    const all: Found[] = [];
    for (const page of publicPages()) {
      say(page);
      all.push(await look(house, house.productUrl, page, TIMES[size]));
    }
    const bare = { ...floor, page: "a bare page of Next" };
    return {
      ...judge(all, floor),
      table: [HEAD, rowOf(bare, floor), ...all.map((found) => rowOf(found, floor))],
      figures: { floor: bare, pages: all },
    };
  } finally {
    await house.stop();
  }
}

/** `npm run bench -- web` (QUALITY §1d). Redirects and screens behind the login are not measured. */
export const webBench: Bench = {
  name: "web",
  what: "each public page beside a bare page of Next; aims: JS ≤ 1.15 × (landing 1.25), LCP ≤ 1.3 ×, CLS 0, scores ≥ 98",
  run,
};
