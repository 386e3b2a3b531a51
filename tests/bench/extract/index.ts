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
import { AIMS, judge, type Measured } from "./judge.ts";
import { faultIn } from "./same-records.ts";

const figures = z.object({ firstMs: z.number(), leastMs: z.number(), baseMb: z.number(), overMb: z.number() });
const run = promisify(execFile);
const NAMES = Object.keys(CONTENDERS) as ContenderName[];
const MB = 1e6;

/** How often each reads a page of so many MB in its process. No aim is held against cheerio, by far the slowest. */
const TIMES: Record<number, { cheerio: number; nodeHtmlParser: number; others: number }> = {
  1: { cheerio: 3, nodeHtmlParser: 8, others: 8 },
  5: { cheerio: 2, nodeHtmlParser: 4, others: 5 },
  20: { cheerio: 1, nodeHtmlParser: 2, others: 3 },
};
const timesOf = (name: ContenderName, sizeMb: number): number => {
  const times = TIMES[sizeMb];
  return (name === "cheerio" || name === "nodeHtmlParser" ? times?.[name] : times?.others) ?? 1;
};
/** A process that takes longer has failed; the slowest takes a tenth of that on a quiet machine. */
const DEADLINE_MS = 120_000;

const readBy = async (name: ContenderName, file: string, times: number): Promise<z.infer<typeof figures>> => {
  const worker = inRepository("tests", "bench", "extract", "worker.ts");
  const args = ["--conditions=react-server", "--expose-gc", worker, name, file, String(times)];
  const { stdout } = await run(process.execPath, args, { timeout: DEADLINE_MS });
  return figures.parse(JSON.parse(stdout));
};

interface Page {
  layout: Layout;
  period: number;
  sizeMb: number;
  html: string;
  bytes: number;
  videos: number;
}

/** Writes a page of so many bytes of UTF-8: letters of other scripts take more than one. @throws when a record differs. */
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
    const { leastMs, firstMs, overMb } = await readBy(name, file, timesOf(name, page.sizeMb));
    const { layout, period, sizeMb } = page;
    all.push({ name, layout, period, sizeMb, leastMsPerMb: perMb(leastMs), firstMsPerMb: perMb(firstMs), overMb });
  }
  rmSync(file);
  return all;
};

const LABELS = {
  htmlparser2: "htmlparser2",
  nodeHtmlParser: "node-html-parser",
  cheerio: "cheerio",
  tagScan: "tags counted",
} as const satisfies Partial<Record<ContenderName, string>>;
const OTHERS = ["htmlparser2", "nodeHtmlParser", "cheerio", "tagScan"] as const;

/** A row for each page: what ours took, and how many times as much the others. */
const tableOf = (measured: readonly Measured[]): (string | number)[][] => [
  [
    "MB",
    "layout",
    "year",
    "CPU ms/MB",
    "first time",
    "MB over base",
    ...OTHERS.map((name) => `${LABELS[name]}, x ours`),
  ],
  ...measured
    .filter(({ name }) => name === "ours")
    .map(({ layout, period, sizeMb, leastMsPerMb, firstMsPerMb, overMb }) => {
      const times = OTHERS.map((name) => {
        const other = measured.find((one) => one.name === name && one.layout === layout && one.sizeMb === sizeMb);
        return round((other?.leastMsPerMb ?? Number.NaN) / leastMsPerMb, 2);
      });
      return [sizeMb, layout, period, round(leastMsPerMb, 2), round(firstMsPerMb), round(overMb), ...times];
    }),
];

const measure = async ({ size, seed, say }: BenchOptions): Promise<BenchResult> => {
  const folder = mkdtempSync(join(tmpdir(), "extract-"));
  const measured: Measured[] = [];
  try {
    for (const sizeMb of size === "full" ? [1, 5, 20] : [1]) {
      for (const layout of LAYOUTS.filter((one) => one !== "api")) {
        const page = writePage(layout, sizeMb, seed);
        if (typeof page === "string") return { verdict: "wrong", because: page, table: [], figures: {} };
        say(`${layout}, ${round(page.bytes / MB)} MB, ${page.videos} videos: the same records from all`);
        measured.push(...(await measurePage(page, folder)));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { ...judge(measured), table: tableOf(measured), figures: { measured } };
};

export const extractBench: Bench = {
  name: "extract",
  what: `videos out of seeded pages, beside three parsers and a bare scan; aims ${AIMS.msPerMb} CPU ms/MB, ${AIMS.overParser}x node-html-parser, ${AIMS.overEvents}x htmlparser2, ${AIMS.overMb} MB at 20 MB`,
  run: measure,
};
