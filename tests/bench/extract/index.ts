import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import { LAYOUTS, type Layout, makePage, periodsOf } from "#tests/support/video-pages-seeded/page.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { evaluate, type Measured, TARGETS } from "./evaluate.ts";
import { faultIn } from "./same-records.ts";

const metrics = z.object({ firstMs: z.number(), minMs: z.number(), baseMb: z.number(), overMb: z.number() });
const run = promisify(execFile);
const NAMES = Object.keys(CONTENDERS) as ContenderName[];
const MB = 1e6;

/**
 * How often each contender reads a page of this many MB in its process. There is no target for cheerio, by far the
 * slowest.
 */
const TIMES: Record<number, { cheerio: number; nodeHtmlParser: number; others: number }> = {
  1: { cheerio: 3, nodeHtmlParser: 8, others: 8 },
  5: { cheerio: 2, nodeHtmlParser: 4, others: 5 },
  20: { cheerio: 1, nodeHtmlParser: 2, others: 3 },
};
const timesOf = (name: ContenderName, sizeMb: number): number => {
  const times = TIMES[sizeMb];
  return (name === "cheerio" || name === "nodeHtmlParser" ? times?.[name] : times?.others) ?? 1;
};
/** Timeout of a process; the slowest needs a tenth of it on an idle machine. */
const DEADLINE_MS = 120_000;

const readBy = async (name: ContenderName, file: string, times: number): Promise<z.infer<typeof metrics>> => {
  const worker = inRepository("tests", "bench", "extract", "worker.ts");
  const args = ["--conditions=react-server", "--expose-gc", worker, name, file, String(times)];
  const { stdout } = await run(process.execPath, args, { timeout: DEADLINE_MS });
  return metrics.parse(JSON.parse(stdout));
};

interface Page {
  layout: Layout;
  period: number;
  sizeMb: number;
  html: string;
  bytes: number;
  videos: number;
}

/** Writes a page of this many bytes of UTF-8. @throws if a record differs. */
const writePage = (layout: Layout, sizeMb: number, seed: number): Page | string => {
  const periods = periodsOf(layout);
  const period = periods[(seed + sizeMb) % periods.length] ?? 2026;
  const { html, expected } = makePage({ seed, disguise: seed, layout, period, length: sizeMb * MB * 0.9 });
  const page = { layout, period, sizeMb, html, bytes: Buffer.byteLength(html), videos: expected.length };
  const fault = faultIn(html, expected);
  return fault ? `${layout} of ${period}: ${fault}` : page;
};

const measurePage = async (page: Page, folder: string): Promise<Measured[]> => {
  const file = join(folder, `${page.layout}-${page.sizeMb}.html`);
  writeFileSync(file, page.html);
  const perMb = (ms: number): number => ms / (page.bytes / MB);
  const all: Measured[] = [];
  for (const name of NAMES) {
    const { minMs, firstMs, overMb } = await readBy(name, file, timesOf(name, page.sizeMb));
    const { layout, period, sizeMb } = page;
    all.push({ name, layout, period, sizeMb, minMsPerMb: perMb(minMs), firstMsPerMb: perMb(firstMs), overMb });
  }
  rmSync(file);
  return all;
};

const LABELS = {
  htmlparser2: "htmlparser2",
  nodeHtmlParser: "node-html-parser",
  cheerio: "cheerio",
  tagScan: "tag scan",
} as const satisfies Partial<Record<ContenderName, string>>;
const OTHERS = ["htmlparser2", "nodeHtmlParser", "cheerio", "tagScan"] as const;

/** A row per page: our time, and the ratios of the others. */
const tableOf = (measured: readonly Measured[]): (string | number)[][] => [
  [
    "MB",
    "layout",
    "year",
    "CPU ms/MB",
    "first run",
    "MB above base",
    ...OTHERS.map((name) => `${LABELS[name]}, × ours`),
  ],
  ...measured
    .filter(({ name }) => name === "ours")
    .map(({ layout, period, sizeMb, minMsPerMb, firstMsPerMb, overMb }) => {
      const times = OTHERS.map((name) => {
        const other = measured.find((item) => item.name === name && item.layout === layout && item.sizeMb === sizeMb);
        return round((other?.minMsPerMb ?? Number.NaN) / minMsPerMb, 2);
      });
      return [sizeMb, layout, period, round(minMsPerMb, 2), round(firstMsPerMb), round(overMb), ...times];
    }),
];

const measure = async ({ size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const folder = mkdtempSync(join(tmpdir(), "extract-"));
  const measured: Measured[] = [];
  try {
    for (const sizeMb of size === "full" ? [1, 5, 20] : [1]) {
      for (const layout of LAYOUTS.filter((item) => item !== "api")) {
        const page = writePage(layout, sizeMb, seed);
        if (typeof page === "string") return { verdict: "wrong", reason: page, table: [], metrics: {} };
        log(`${layout}, ${round(page.bytes / MB)} MB, ${page.videos} videos: all records are equal`);
        measured.push(...(await measurePage(page, folder)));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { ...evaluate(measured), table: tableOf(measured), metrics: { measured } };
};

export const extractBench: Bench = {
  name: "extract",
  what: `extracting videos from seeded pages vs. three parsers and a bare scan; targets: ${TARGETS.msPerMb} CPU ms/MB, ${TARGETS.overParser}x node-html-parser, ${TARGETS.overEvents}x htmlparser2, ${TARGETS.overMb} MB at 20 MB`,
  run: measure,
};
