/**
 * Reads a page with one contender in a fresh process: `node worker.ts NAME FILE TIMES`. Prints its measurements as
 * JSON.
 */
import { readFileSync } from "node:fs";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { peakMbOver } from "./memory.ts";

const [name = "", file = "", times = "1"] = process.argv.slice(2);
if (!Object.hasOwn(CONTENDERS, name)) throw new Error(`There is no contender "${name}".`);
const read = CONTENDERS[name as ContenderName];
const html = readFileSync(file, "utf8");

// The first run counts: users paste a page once, into a cold process.
let firstMs = 0;
const memory = peakMbOver(() => {
  firstMs = cpuMsOf(() => read(html)).cpuMs;
});
const timesMs: number[] = [firstMs];
for (let n = 1; n < Number(times); n += 1) timesMs.push(cpuMsOf(() => read(html)).cpuMs);
console.log(JSON.stringify({ firstMs, minMs: Math.min(...timesMs), ...memory }));
