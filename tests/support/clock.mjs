/**
 * Preload (`NODE_OPTIONS=--import`) that moves a process's clock: `Date` runs ahead by the milliseconds written in the
 * file named by EVERTACK_CLOCK_FILE. Timers keep their real length; what polls the time sees the jump within 5 ms.
 */
import { readFileSync } from "node:fs";

const file = process.env.EVERTACK_CLOCK_FILE;
const RealDate = globalThis.Date;
const rereadMs = 5;
let offsetMs = 0;
let readAt = Number.NEGATIVE_INFINITY;

function currentOffset() {
  const now = performance.now();
  if (now - readAt < rereadMs) return offsetMs;
  readAt = now;
  const written = Number(readFileSync(file, "utf8"));
  if (Number.isFinite(written)) offsetMs = written;
  return offsetMs;
}

const shiftedNow = () => RealDate.now() + currentOffset();

if (file) {
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget),
    apply: () => new RealDate(shiftedNow()).toString(),
    get: (target, name, receiver) => (name === "now" ? shiftedNow : Reflect.get(target, name, receiver)),
  });
}
