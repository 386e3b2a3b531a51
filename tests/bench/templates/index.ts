import sharp from "sharp";
import { TEMPLATE_NAMES } from "#lib/core/images.ts";
import { createPictures } from "#lib/integrations/images/client.ts";
import type { TemplateDrawing } from "#lib/integrations/images/port.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { median, round } from "../harness/statistics.ts";
import { makePhoto } from "../picture/photo.ts";

/** A row of eight while somebody types, and the chosen one as it will be stored: a second on a quiet core. */
const AIM_CPU_MS = 1_000;
const CANVAS = { widthPx: 1_080, heightPx: 1_680 };

const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const measure = async ({ size, seed, say }: BenchOptions): Promise<BenchResult> => {
  const pictures = createPictures();
  const made = await pictures.preparePin(await makePhoto(seed), CANVAS);
  if (!made) throw new Error("The photograph is no picture.");
  const drawing: Omit<TemplateDrawing, "template"> = {
    picture: made.jpeg,
    words: "Slow Sunday bread for a small kitchen",
    signature: "mossandstone",
    colours: { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" },
    fontPairing: "reading",
    logo: null,
  };
  const each = async (work: (drawing: TemplateDrawing) => Promise<unknown>) => {
    for (const template of TEMPLATE_NAMES) await work({ ...drawing, template });
  };
  const works = {
    row: () => each((one) => pictures.previewTemplate(one, { widthPx: 240, isExact: false })),
    exact: () => each((one) => pictures.previewTemplate(one, { widthPx: 560, isExact: true })),
    stored: () => each((one) => pictures.drawTemplate(one)),
    floor: () => each(() => sharp(made.jpeg).jpeg({ quality: 84, chromaSubsampling: "4:4:4" }).toBuffer()),
  };
  const spent: Record<keyof typeof works, number[]> = { row: [], exact: [], stored: [], floor: [] };
  // The first round loads fonts and warms up; it does not count.
  await Promise.all(Object.values(works).map((work) => work()));
  for (let at = 0; at < (size === "full" ? 7 : 3); at += 1) {
    spent.row.push(await cpuOf(works.row));
    spent.exact.push(await cpuOf(works.exact));
    spent.stored.push(await cpuOf(works.stored));
    spent.floor.push(await cpuOf(works.floor));
  }
  say(`${spent.row.length} rounds`);
  const count = TEMPLATE_NAMES.length;
  const floorMs = median(spent.floor) / count;
  const line = (what: string, totalMs: number, pieces: number) => [
    what,
    round(totalMs / pieces, 1),
    round(totalMs / pieces / floorMs, 2),
  ];
  const changeMs = median(spent.row) + median(spent.exact) / count;
  return {
    verdict: changeMs <= AIM_CPU_MS ? "met" : "missed",
    because: `${round(changeMs)} CPU ms for what one change of the chooser draws (aim ${AIM_CPU_MS})`,
    table: [
      ["", "CPU ms each", "over decoding and encoding"],
      line("a small preview, 240 px", median(spent.row), count),
      line("all eight of the row", median(spent.row), 1),
      line("the exact preview, 560 px", median(spent.exact), count),
      line("the picture that is stored", median(spent.stored), count),
      line("decoding and encoding alone", median(spent.floor), count),
    ],
    figures: { changeMs, floorMs, rounds: spent.row.length },
  };
};

export const templatesBench: Bench = {
  name: "templates",
  what: "templates on a pin: small and exact previews and the stored picture, beside decoding and encoding alone; aim 1,000 CPU ms for a change of the chooser",
  run: measure,
};
