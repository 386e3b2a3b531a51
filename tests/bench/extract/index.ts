import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import { LAYOUTS, type Layout, makePage, periodsOf } from "#tests/support/video-pages-seeded/page.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { median, round } from "../harness/statistics.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { AIMS, judge, type Measured } from "./judge.ts";
import { faultIn } from "./same-records.ts";

const figures = z.object({ firstMs: z.number(), leastMs: z.number(), baseMb: z.number(), overMb: z.number() });
const run = promisify(execFile);
const NAMES = Object.keys(CONTENDERS) as ContenderName[];
const MB = 1e6;

/** How often each reads a page in one process, and in how many processes. */
const TURNS: Record<number, { times: number; rounds: number }> = {
  1: { times: 8, rounds: 1 },
  5: { times: 5, rounds: 1 },
  20: { times: 3, rounds: 1 },
};

const readBy = async (name: ContenderName, file: string, times: number): Promise<z.infer<typeof figures>> => {
  const worker = inRepository("tests", "bench", "extract", "worker.ts");
  const args = ["--conditions=react-server", "--expose-gc", worker, name, file, String(times)];
  const { stdout } = await run(process.execPath, args);
  return figures.parse(JSON.parse(stdout));
};

interface Page {
  layout: Layout;
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
  const page = { layout, sizeMb, html, bytes: Buffer.byteLength(html), videos: expected.length };
  const fault = faultIn(html, expected);
  return fault ? `${layout} of ${period}: ${fault}` : page;
};

const measurePage = async (page: Page, folder: string): Promise<Measured[]> => {
  const file = join(folder, `${page.layout}-${page.sizeMb}.html`);
  writeFileSync(file, page.html);
  const { times, rounds } = TURNS[page.sizeMb] ?? { times: 1, rounds: 1 };
  const all = new Map<ContenderName, z.infer<typeof figures>[]>();
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const name of [...NAMES.slice(turn), ...NAMES.slice(0, turn)]) {
      all.set(name, [...(all.get(name) ?? []), await readBy(name, file, times)]);
    }
  }
  rmSync(file);
  const perMb = (ms: number): number => ms / (page.bytes / MB);
  return [...all].map(([name, list]) => ({
    name,
    layout: page.layout,
    sizeMb: page.sizeMb,
    leastMsPerMb: perMb(Math.min(...list.map(({ leastMs }) => leastMs))),
    firstMsPerMb: perMb(median(list.map(({ firstMs }) => firstMs))),
    overMb: Math.max(...list.map(({ overMb }) => overMb)),
  }));
};

const LABELS: Record<ContenderName, string> = {
  ours: "ours",
  nodeHtmlParser: "node-html-parser",
  cheerio: "cheerio",
  htmlparser2: "htmlparser2",
  tagScan: "limit: tags counted",
  indexOfScan: "limit: indexOf",
};

const tableOf = (measured: readonly Measured[]): (string | number)[][] => [
  ["MB", "layout", "who", "CPU ms/MB", "first time", "x ours", "MB over base"],
  ...measured.map(({ name, layout, sizeMb, leastMsPerMb, firstMsPerMb, overMb }) => {
    const ours = measured.find((one) => one.name === "ours" && one.layout === layout && one.sizeMb === sizeMb);
    const ratio = leastMsPerMb / (ours?.leastMsPerMb ?? Number.NaN);
    return [
      sizeMb,
      layout,
      LABELS[name],
      round(leastMsPerMb, 2),
      round(firstMsPerMb, 2),
      round(ratio, 2),
      round(overMb),
    ];
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
