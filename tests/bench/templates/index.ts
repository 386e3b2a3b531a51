import sharp from "sharp";
import { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import type { TemplateInput } from "#lib/integrations/images/port.ts";
import { drawImage } from "#lib/integrations/images/template-drawing.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { median, round } from "../harness/statistics.ts";
import { makePhoto } from "../image/photo.ts";

/** The eight small previews and the exact one after a keystroke: one second on an idle core. */
const TARGET_CPU_MS = 1_000;
const CANVAS = { widthPx: 1_080, heightPx: 1_680 };

const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** CPU of the calling thread, during which it answers no request. */
const ownCpuOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

const measure = async ({ size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const images = createImages();
  const made = await images.preparePin(await makePhoto(seed), CANVAS);
  if (!made) throw new Error("The photo is not an image.");
  const input: Omit<TemplateInput, "template"> = {
    image: made.jpeg,
    text: "Slow Sunday bread for a small kitchen",
    signature: "mossandstone",
    colors: { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" },
    fontPairing: "reading",
    logo: null,
  };
  const each = async (work: (input: TemplateInput) => Promise<unknown>) => {
    for (const template of TEMPLATE_NAMES) await work({ ...input, template });
  };
  const works = {
    row: () => each((item) => images.previewTemplate(item, { widthPx: 240, isExact: false })),
    exact: () => each((item) => images.previewTemplate(item, { widthPx: 560, isExact: true })),
    stored: () => each((item) => images.drawTemplate(item)),
    baseline: () => each(() => sharp(made.jpeg).jpeg({ quality: 84, chromaSubsampling: "4:4:4" }).toBuffer()),
  };
  const spent: Record<keyof typeof works, number[]> = { row: [], exact: [], stored: [], baseline: [] };
  // The first round loads fonts and is not counted.
  await Promise.all(Object.values(works).map((work) => work()));
  for (let at = 0; at < (size === "full" ? 7 : 3); at += 1) {
    spent.row.push(await cpuOf(works.row));
    spent.exact.push(await cpuOf(works.exact));
    spent.stored.push(await cpuOf(works.stored));
    spent.baseline.push(await cpuOf(works.baseline));
  }
  log(`${spent.row.length} rounds`);
  const own: Record<"inThisThread" | "inTheDrawingThread", number[]> = { inThisThread: [], inTheDrawingThread: [] };
  for (let at = 0; at < (size === "full" ? 7 : 3); at += 1) {
    own.inThisThread.push(await ownCpuOf(() => each((item) => drawImage({ input: item, preview: null }))));
    own.inTheDrawingThread.push(await ownCpuOf(works.stored));
  }
  const count = TEMPLATE_NAMES.length;
  const baselineMs = median(spent.baseline) / count;
  const line = (what: string, totalMs: number, pieces: number) => [
    what,
    round(totalMs / pieces, 1),
    round(totalMs / pieces / baselineMs, 2),
  ];
  const changeMs = median(spent.row) + median(spent.exact) / count;
  return {
    verdict: changeMs <= TARGET_CPU_MS ? "met" : "missed",
    reason: `${round(changeMs)} CPU ms to render the previews after one change in the dialog (target ${TARGET_CPU_MS})`,
    table: [
      ["", "CPU ms each", "× decoding and encoding"],
      line("a small preview, 240 px", median(spent.row), count),
      line("all eight of the row", median(spent.row), 1),
      line("the exact preview, 560 px", median(spent.exact), count),
      line("the stored image", median(spent.stored), count),
      line("decoding and encoding alone", median(spent.baseline), count),
      line("the event loop, drawn in its own thread as before", median(own.inThisThread), count),
      line("the event loop, drawn in the drawing thread", median(own.inTheDrawingThread), count),
    ],
    metrics: { changeMs, baselineMs, own, rounds: spent.row.length },
  };
};

export const templatesBench: Bench = {
  name: "templates",
  what: "templates on a pin: small and exact previews and the stored image, compared with decoding and encoding alone; target 1,000 CPU ms for a change in the dialog",
  run: measure,
};
