/** A fresh process that reads one page by one contender: `node worker.ts NAME FILE TIMES`. Says its figures as JSON. */
import { readFileSync } from "node:fs";
import { cpuMsOf } from "#tests/support/video-pages-seeded/cpu.ts";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { peakMbOver } from "./memory.ts";

const [name = "", file = "", times = "1"] = process.argv.slice(2);
if (!Object.hasOwn(CONTENDERS, name)) throw new Error(`There is no contender "${name}".`);
const read = CONTENDERS[name as ContenderName];
const html = readFileSync(file, "utf8");

// The first one counts too: whoever pastes a page does so once, with a program that is not warm.
let firstMs = 0;
const memory = peakMbOver(() => {
  firstMs = cpuMsOf(() => read(html)).cpuMs;
});
const timesMs: number[] = [firstMs];
for (let n = 1; n < Number(times); n += 1) timesMs.push(cpuMsOf(() => read(html)).cpuMs);
console.log(JSON.stringify({ firstMs, leastMs: Math.min(...timesMs), ...memory }));
