import { parseDocument } from "htmlparser2";
import type { FullCtx } from "#lib/context.ts";
import { forEachConcurrently } from "#lib/core/concurrency.ts";
import { readPage } from "#lib/features/pages/readings.ts";
import { readSite } from "#lib/features/sites/discovery.ts";
import { contextOf } from "#tests/support/context.ts";
import { READABLE_PAGES } from "#tests/support/fixture-site/pages.ts";
import { siteListener } from "#tests/support/fixture-site/site.ts";
import { startNameServer } from "#tests/support/name-server.ts";
import { startPages } from "#tests/support/page-server.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { type Contenders, interleave, minCpuMs, sampleOf } from "../harness/interleave.ts";
import { round } from "../harness/statistics.ts";

const SIZES = {
  full: { pages: 100, rounds: 4, entries: 50_000 },
  small: { pages: 20, rounds: 2, entries: 5_000 },
} as const;
const AT_ONCE = 4;
/** A site's limit is 30 pages a minute, so this serves 40 sites at their limit. */
const TARGET_PER_SECOND = 20;
const TARGET_PEAK_MB = 150;
const BUDGET_MS = 120_000;

const host = (n: number): string => `bench${n}.test`;

/** The most memory of this process while `work` runs, above `before` in bytes, in MB. */
const peakOf = async (before: number, work: () => Promise<unknown>): Promise<number> => {
  let peak = process.memoryUsage().rss;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return (Math.max(peak, process.memoryUsage().rss) - before) / 1e6;
};

interface Measured {
  perSecond: number;
  barePerSecond: number;
  cpuMs: number;
  bareCpuMs: number;
  peakMb: number;
  sitemapSeconds: number;
  sitemapMb: number;
  faults: string[];
}

/** Each page has a site of its own, since requests to one are limited. The query makes each round's pages new. */
const measureIn = async (ctx: FullCtx, port: number, { size, log }: BenchOptions): Promise<Measured> => {
  const { pages, rounds, entries } = SIZES[size];
  const faults: string[] = [];
  let run = 0;
  const urls = (): string[] => {
    run += 1;
    return Array.from({ length: pages }, (_, n) => {
      const { path = "" } = READABLE_PAGES[n % READABLE_PAGES.length] ?? {};
      return `http://${host(n)}:${port}${path}?run=${run}`;
    });
  };
  const readAll = () =>
    forEachConcurrently(urls(), AT_ONCE, async (url) => {
      const found = await readPage(ctx, { url });
      if (found.kind !== "read") faults.push(`${url}: ${found.kind === "later" ? "at its limit" : found.reason}`);
    });
  const fetchAll = () =>
    forEachConcurrently(urls(), AT_ONCE, async (url) => {
      const answer = await fetch(url.replace(/\/\/[^:]+/, "//127.0.0.1"));
      if (parseDocument(await answer.text()).children.length === 0) faults.push(`${url}: empty`);
    });
  const before = process.memoryUsage().rss;
  const peakMb = await peakOf(before, readAll);
  await fetchAll();
  log(`${pages} pages, ${rounds} rounds, ${AT_ONCE} at a time`);
  const contenders: Contenders = { ours: () => sampleOf(1, readAll), reference: () => sampleOf(1, fetchAll) };
  const found = await interleave(contenders, { rounds, budgetMs: BUDGET_MS });
  const best = (samples: typeof found.ours) => Math.min(...samples.flatMap(({ timesMs }) => timesMs));
  const ours = [...found.ours, ...found.again];
  log(`a sitemap of ${entries} pages`);
  let sitemapSeconds = 0;
  const sitemapMb = await peakOf(before, async () => {
    const begunMs = performance.now();
    const site = await readSite(ctx, `http://${host(0)}:${port}/sitemap.xml`);
    sitemapSeconds = (performance.now() - begunMs) / 1_000;
    if (site.kind !== "listed" || site.entries.length !== entries) faults.push("the sitemap was not read");
  });
  return {
    ...{ perSecond: (pages * 1_000) / best(ours), barePerSecond: (pages * 1_000) / best(found.reference) },
    ...{ cpuMs: minCpuMs(ours) / pages, bareCpuMs: minCpuMs(found.reference) / pages },
    ...{ peakMb, sitemapSeconds, sitemapMb, faults },
  };
};

const toResult = (measured: Measured, { pages, entries }: (typeof SIZES)["full" | "small"]): BenchResult => {
  const { perSecond, barePerSecond, cpuMs, bareCpuMs, peakMb, sitemapSeconds, sitemapMb, faults } = measured;
  const isMet = perSecond >= TARGET_PER_SECOND && Math.max(peakMb, sitemapMb) <= TARGET_PEAK_MB;
  return {
    verdict: faults.length > 0 ? "wrong" : isMet ? "met" : "missed",
    reason:
      faults.length > 0
        ? faults.slice(0, 3).join("; ")
        : `${round(perSecond)} pages a second (target ${TARGET_PER_SECOND}), at most ${round(Math.max(peakMb, sitemapMb), 0)} MB more memory (target ${TARGET_PEAK_MB})`,
    table: [
      ["", "a second", "CPU ms each", "more memory, MB"],
      [`read ${pages} pages`, round(perSecond), round(cpuMs, 2), round(peakMb, 0)],
      ["bare fetch and parse", round(barePerSecond), round(bareCpuMs, 2), ""],
      [`sitemap of ${entries} pages`, `${round(sitemapSeconds, 2)} s`, "", round(sitemapMb, 0)],
    ],
    metrics: { ...measured },
  };
};

export const pagesBench: Bench = {
  name: "pages",
  what: `pages read for their facts beside a bare fetch and parse, and a sitemap of 50,000 pages; targets: ${TARGET_PER_SECOND} pages a second, ${TARGET_PEAK_MB} MB more memory`,
  run: async (options) => {
    const sizes = SIZES[options.size];
    const entries = Array.from({ length: sizes.entries }, (_, n) => `<url><loc>/p/moss-garden-${n}</loc></url>`);
    const sitemap = `<urlset>${entries.join("\n")}</urlset>`;
    const site = await startPages(siteListener(() => ({ "/sitemap.xml": sitemap })));
    const hosts = Array.from({ length: sizes.pages }, (_, n) => host(n));
    const names = await startNameServer(Object.fromEntries(hosts.map((name) => [name, () => ["127.0.0.1"]])));
    const links = { allowedHosts: hosts.map((name) => `${name}:${site.port}`), nameServers: [names.address] };
    try {
      const work = (harness: Parameters<Parameters<typeof inBenchHarness>[1]>[0]) =>
        measureIn(contextOf(harness, { kind: "job", name: "bench" }), site.port, options);
      return toResult(await inBenchHarness("pages", work, { links }), sizes);
    } finally {
      await Promise.all([site.close(), names.close()]);
    }
  },
};
