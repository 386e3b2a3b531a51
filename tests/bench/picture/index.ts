import { execFile } from "node:child_process";
import { promisify } from "node:util";
import sharp from "sharp";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { interleave, isTooNoisy, leastCpuMs, type Sample } from "../harness/interleave.ts";
import { round } from "../harness/statistics.ts";
import { CANVAS, CONTENDERS, type ContenderName, makeReference } from "./contenders.ts";
import { makePhoto } from "./photo.ts";
import { ssimOf } from "./ssim.ts";

const AIM_CPU_MS = 30;
const AIM_BYTES = 300_000;
const LEAST_SSIM = 0.98;

const figures = z.object({ cpuMs: z.number(), timesMs: z.array(z.number()), bytes: z.number() });
const run = promisify(execFile);

const sample = async (name: ContenderName, seed: number): Promise<Sample> => {
  const worker = inRepository("tests", "bench", "picture", "worker.ts");
  const { stdout } = await run(process.execPath, ["--conditions=react-server", worker, name, String(seed), "5"]);
  return figures.parse(JSON.parse(stdout));
};

/** Our picture must be the right one before its speed counts. @returns what is wrong with it, in a sentence. */
const faultOf = async (jpeg: Uint8Array, ssim: number): Promise<string | null> => {
  const { width, height, format, xmp } = await sharp(jpeg).metadata();
  if (width !== CANVAS.widthPx || height !== CANVAS.heightPx || format !== "jpeg") return "it is no JPEG of the canvas";
  if (!xmp?.includes("trainedAlgorithmicMedia")) return "it does not say that a model made it";
  return ssim < LEAST_SSIM ? `its SSIM is ${round(ssim, 4)}, below ${LEAST_SSIM}` : null;
};

const measure = async ({ size, seed, say }: BenchOptions): Promise<BenchResult> => {
  const photo = await makePhoto(seed);
  const jpeg = await CONTENDERS.ours(photo);
  const ssim = await ssimOf(jpeg, await makeReference(photo));
  const fault = await faultOf(jpeg, ssim);
  if (fault) return { verdict: "wrong", because: `Our picture is wrong: ${fault}.`, table: [], figures: { ssim } };
  const bounds = { rounds: size === "full" ? 6 : 2, budgetMs: 45_000 };
  const contenders = { ours: "ours", anchor: "svg", floor: "limit" } as const;
  const rounds = await interleave(
    {
      ours: () => sample(contenders.ours, seed),
      anchor: () => sample(contenders.anchor, seed),
      floor: () => sample(contenders.floor, seed),
    },
    bounds,
  );
  say(`${rounds.ours.length} rounds`);
  const decodingMs = (await sample("decoding", seed)).cpuMs;
  const cpu = {
    ours: leastCpuMs([...rounds.ours, ...rounds.again]),
    svg: leastCpuMs(rounds.anchor),
    limit: leastCpuMs(rounds.floor),
  };
  const beyondMs = cpu.ours - decodingMs;
  const isMet = beyondMs <= AIM_CPU_MS && jpeg.byteLength <= AIM_BYTES;
  const bytes = {
    ours: jpeg.byteLength,
    svg: (await CONTENDERS.svg(photo)).byteLength,
    limit: (await CONTENDERS.limit(photo)).byteLength,
  };
  const row = (name: keyof typeof cpu, what: string) => [
    what,
    round(cpu[name]),
    round(cpu[name] - decodingMs),
    round(cpu[name] / cpu.limit, 2),
    round(bytes[name] / 1_000),
  ];
  const isNoisy = isTooNoisy(rounds, ({ cpuMs }) => cpuMs);
  return {
    verdict: isMet ? "met" : isNoisy ? "inconclusive" : "missed",
    because: `${round(beyondMs)} CPU ms beyond decoding (aim ${AIM_CPU_MS}), ${round(jpeg.byteLength / 1_000)} kB (aim 300), SSIM ${round(ssim, 4)}`,
    table: [
      ["", "CPU ms", "beyond decoding", "over the limit", "kB"],
      row("ours", "our final picture"),
      row("svg", "sharp with an SVG laid over"),
      row("limit", "decode, resize, encode"),
      ["decoding alone", round(decodingMs), 0, round(decodingMs / cpu.limit, 2), ""],
    ],
    figures: { cpuMs: cpu, decodingMs, bytes, ssim, rounds: rounds.ours.length },
  };
};

export const pictureBench: Bench = {
  name: "picture",
  what: "the final picture of a pin, beside sharp with an SVG and the least possible; aims 30 CPU ms beyond decoding, 300 kB",
  run: measure,
};
