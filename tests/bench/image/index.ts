import { execFile } from "node:child_process";
import { promisify } from "node:util";
import sharp from "sharp";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { interleave, isTooNoisy, minCpuMs, type Sample } from "../harness/interleave.ts";
import { round } from "../harness/statistics.ts";
import { CANVAS, CONTENDERS, type ContenderName, makeReference } from "./contenders.ts";
import { makePhoto } from "./photo.ts";
import { ssimOf } from "./ssim.ts";

const TARGET_CPU_MS = 30;
const MAX_BYTES = 300_000;
const MIN_SSIM = 0.98;

const metrics = z.object({ cpuMs: z.number(), timesMs: z.array(z.number()), bytes: z.number() });
const run = promisify(execFile);

const sample = async (name: ContenderName, seed: number): Promise<Sample> => {
  const worker = inRepository("tests", "bench", "image", "worker.ts");
  const { stdout } = await run(process.execPath, ["--conditions=react-server", worker, name, String(seed), "5"]);
  return metrics.parse(JSON.parse(stdout));
};

/** Checks our image before its speed counts. @returns what is wrong with it, in a sentence. */
const problemOf = async (jpeg: Uint8Array, ssim: number): Promise<string | null> => {
  const { width, height, format, xmp } = await sharp(jpeg).metadata();
  if (width !== CANVAS.widthPx || height !== CANVAS.heightPx || format !== "jpeg")
    return "it is not a JPEG of the canvas's size";
  if (!xmp?.includes("trainedAlgorithmicMedia")) return "its metadata does not say that a model made it";
  return ssim < MIN_SSIM ? `its SSIM is ${round(ssim, 4)}, below ${MIN_SSIM}` : null;
};

const measure = async ({ size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const photo = await makePhoto(seed);
  const jpeg = await CONTENDERS.ours(photo);
  const ssim = await ssimOf(jpeg, await makeReference(photo));
  const fault = await problemOf(jpeg, ssim);
  if (fault) return { verdict: "wrong", reason: `Our image is wrong: ${fault}.`, table: [], metrics: { ssim } };
  const bounds = { rounds: size === "full" ? 6 : 2, budgetMs: 45_000 };
  const contenders = { ours: "ours", reference: "svg", baseline: "limit" } as const;
  const rounds = await interleave(
    {
      ours: () => sample(contenders.ours, seed),
      reference: () => sample(contenders.reference, seed),
      baseline: () => sample(contenders.baseline, seed),
    },
    bounds,
  );
  log(`${rounds.ours.length} rounds`);
  const decodingMs = (await sample("decoding", seed)).cpuMs;
  const cpu = {
    ours: minCpuMs([...rounds.ours, ...rounds.again]),
    svg: minCpuMs(rounds.reference),
    limit: minCpuMs(rounds.baseline),
  };
  const beyondMs = cpu.ours - decodingMs;
  const isMet = beyondMs <= TARGET_CPU_MS && jpeg.byteLength <= MAX_BYTES;
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
    reason: `${round(beyondMs)} CPU ms beyond decoding (target ${TARGET_CPU_MS}), ${round(jpeg.byteLength / 1_000)} KB (target 300), SSIM ${round(ssim, 4)}`,
    table: [
      ["", "CPU ms", "beyond decoding", "over the limit", "KB"],
      row("ours", "our final image"),
      row("svg", "sharp with an SVG overlay"),
      row("limit", "decode, resize, encode"),
      ["decoding alone", round(decodingMs), 0, round(decodingMs / cpu.limit, 2), ""],
    ],
    metrics: { cpuMs: cpu, decodingMs, bytes, ssim, rounds: rounds.ours.length },
  };
};

export const imageBench: Bench = {
  name: "image",
  what: "the final image of a pin, compared with sharp plus an SVG and the minimum; targets: 30 CPU ms beyond decoding, 300 KB",
  run: measure,
};
