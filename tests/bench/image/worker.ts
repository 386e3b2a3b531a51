/** Runs one contender in a fresh process: `node worker.ts NAME SEED TIMES`. Prints its measurements as JSON. */
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { makePhoto } from "./photo.ts";

const [name = "", seed = "1", times = "5"] = process.argv.slice(2);
if (!Object.hasOwn(CONTENDERS, name)) throw new Error(`There is no contender "${name}".`);
const make = CONTENDERS[name as ContenderName];
const photo = await makePhoto(Number(seed));
// The first run also loads libraries.
let bytes = (await make(photo)).byteLength;
const timesMs: number[] = [];
let minCpuMs = Number.POSITIVE_INFINITY;
for (let n = 0; n < Number(times); n += 1) {
  const cpu = process.cpuUsage();
  const begunMs = performance.now();
  bytes = (await make(photo)).byteLength;
  timesMs.push(performance.now() - begunMs);
  const { user, system } = process.cpuUsage(cpu);
  minCpuMs = Math.min(minCpuMs, (user + system) / 1_000);
}
console.log(JSON.stringify({ cpuMs: minCpuMs, timesMs, bytes }));
