/**
 * Runs one attack in a fresh process, `node worker.ts attack NAME LENGTH…`, or all mutants, `node worker.ts mutants
 * SEED COUNT`. Prints its measurements as JSON.
 */
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { ATTACKS } from "#tests/support/video-pages-seeded/attacks.ts";
import { makeMutant } from "#tests/support/video-pages-seeded/mutate.ts";
import { validExtraction } from "#tests/support/video-pages-seeded/valid.ts";

const [mode, name, ...numbers] = process.argv.slice(2);
const TURNS = 5;

const problemOf = (answer: unknown): string | null =>
  validExtraction.safeParse(answer).error?.issues[0]?.message ?? null;

const attack = (): object => {
  const shape = ATTACKS.find((item) => item.name === name);
  if (!shape) throw new Error(`There is no attack "${name}".`);
  extract(shape.make(50_000));
  const sizes = numbers.map(Number).map((length) => {
    const html = shape.make(length);
    // Flattens the rope that a repeated string is.
    html.charCodeAt(html.length - 1);
    const first = cpuMsOf(() => extract(html));
    const times = Array.from({ length: TURNS - 1 }, () => cpuMsOf(() => extract(html)).cpuMs);
    const urls = new Set(first.result.videos.map(({ video_url }) => video_url));
    const missing = shape.cards.some((url) => !urls.has(url)) ? "a normal card is missing" : null;
    return {
      length,
      maxMs: Math.max(first.cpuMs, ...times),
      minMs: Math.min(first.cpuMs, ...times),
      fault: problemOf(first.result) ?? missing,
    };
  });
  return { sizes };
};

const mutants = (): object => {
  const faults: string[] = [];
  let slowestMs = 0;
  for (let n = 0; n < Number(numbers[0]); n += 1) {
    const html = makeMutant(Number(name), n);
    try {
      const { result, cpuMs } = cpuMsOf(() => extract(html));
      slowestMs = Math.max(slowestMs, cpuMs);
      const fault = problemOf(result);
      if (fault) faults.push(`${n}: ${fault}`);
    } catch (error) {
      faults.push(`${n}: ${error}`);
    }
  }
  return { faults, slowestMs };
};

console.log(JSON.stringify(mode === "attack" ? attack() : mutants()));
