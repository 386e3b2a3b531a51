/**
 * `npm run bench -- NAME [--size small] [--seed N]`: measures one dimension side by side with what it is held against.
 * Prints a table, then one line of JSON. Ends with 0 when the target is met, 1 missed, 2 the result was wrong,
 * 3 inconclusive (after one more try), 4 could not run. Disturbs no running instance.
 */
import { parseArgs } from "node:util";
import { benches } from "#tests/bench/benches.ts";
import {
  type Bench,
  type BenchOptions,
  type BenchResult,
  COULD_NOT_RUN,
  EXIT_CODES,
} from "#tests/bench/harness/bench.ts";
import { watchMachine } from "#tests/bench/harness/machine.ts";
import { tableText } from "#tests/bench/harness/table.ts";

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => process.exit(130));
process.on("disconnect", () => process.exit(130));

const STILL_EVERY_MS = 15_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: "string", default: "full" }, seed: { type: "string", default: "1" } },
});

const bench = benches.find(({ name }) => name === positionals[0]);
if (!bench || !["full", "small"].includes(values.size) || !/^\d+$/.test(values.seed)) {
  console.error("npm run bench -- NAME [--size small] [--seed N]\n");
  for (const { name, what } of benches) console.error(`  ${name.padEnd(10)} ${what}`);
  process.exit(COULD_NOT_RUN);
}
process.exit(await measure(bench));

async function measure(one: Bench): Promise<number> {
  const progress = startProgress();
  const options: BenchOptions = {
    size: values.size === "small" ? "small" : "full",
    seed: Number(values.seed),
    say: progress.say,
  };
  const machine = watchMachine();
  try {
    let result = await one.run(options);
    if (result.verdict === "inconclusive" && !result.isFinal) result = await one.run(options);
    progress.end();
    tell(one, options, result, { ...machine(), seconds: progress.seconds() });
    return EXIT_CODES[result.verdict];
  } catch (error) {
    console.error(`The bench "${one.name}" could not run:`, error);
    return COULD_NOT_RUN;
  }
}

/** Prints each step with the seconds since the start, and the same step again while nothing else is said. */
function startProgress() {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  let step = "starting";
  const print = (line: string) => console.error(`  ${String(seconds()).padStart(4)} s  ${line}`);
  const timer = setInterval(() => print(`still: ${step}`), STILL_EVERY_MS).unref();
  return {
    seconds,
    say: (line: string) => {
      step = line;
      timer.refresh();
      print(line);
    },
    end: () => clearInterval(timer),
  };
}

function tell(one: Bench, { size, seed }: BenchOptions, result: BenchResult, machine: object): void {
  const { verdict, because, table, figures } = result;
  console.log(`${one.name}: ${one.what}\n\n${tableText(table)}\n\n${verdict}: ${because}\n`);
  console.log(JSON.stringify({ bench: one.name, size, seed, verdict, because, ...figures, machine }));
}
