import { createHash } from "node:crypto";

/** What the probe takes on the machine of the budgets: 112 ms where suites took 1.25 times as long. */
export const REFERENCE_MS = 90;
/** Of the memory probe. Where it took 300 ms, builds and browsers took 2.3 times as long, arithmetic only 1.3 times. */
export const MEMORY_REFERENCE_MS = 130;
const SLOWEST = 4;

function probe(): number {
  const startedAt = performance.now();
  let value = 1;
  for (let step = 0; step < 60_000_000; step += 1) value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
  const hash = createHash("sha256");
  for (let block = 0; block < 200; block += 1) hash.update(Buffer.alloc(2 ** 18, value & 255));
  hash.digest();
  return performance.now() - startedAt;
}

/** Many small objects, as compilers and browsers make. */
function memoryProbe(): number {
  const startedAt = performance.now();
  const map = new Map<string, number>();
  for (let step = 0; step < 500_000; step += 1) map.set(`key ${step}`, step);
  return performance.now() - startedAt;
}

/** The factor for budgets on a slower machine: 1 on the reference machine or a faster one, never above `SLOWEST`. */
export const slownessOf = (bestMs: number, bestMemoryMs = 0): number =>
  Math.min(SLOWEST, Math.max(1, bestMs / REFERENCE_MS, bestMemoryMs / MEMORY_REFERENCE_MS));

const bestOf = (measure: () => number): number => Math.min(...Array.from({ length: 4 }, measure));

/** Measures this machine: the best of four probes each. */
export const measureSlowness = (): number => slownessOf(bestOf(probe), bestOf(memoryProbe));
