/**
 * `npm run bench -- NAME [--size small] [--seed N]`: compares one aspect of the product with a baseline. Exit codes: 0
 * target met, 1 missed, 2 wrong result, 3 inconclusive (after a second try), 4 could not run.
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

const REMINDER_INTERVAL_MS = 15_000;

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

async function measure(bench: Bench): Promise<number> {
  const progress = startProgress();
  const options: BenchOptions = {
    size: values.size === "small" ? "small" : "full",
    seed: Number(values.seed),
    log: progress.log,
  };
  const machine = watchMachine();
  try {
    let result = await bench.run(options);
    if (result.verdict === "inconclusive" && !result.isFinal) result = await bench.run(options);
    progress.end();
    printResult(bench, options, result, { ...machine(), seconds: progress.seconds() });
    return EXIT_CODES[result.verdict];
  } catch (error) {
    console.error(`The bench "${bench.name}" could not run:`, error);
    return COULD_NOT_RUN;
  }
}

/** Prints each step with the elapsed seconds, and repeats it while nothing else is printed. */
function startProgress() {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  let step = "starting";
  const print = (line: string) => console.error(`  ${String(seconds()).padStart(4)} s  ${line}`);
  const timer = setInterval(() => print(`still ${step}`), REMINDER_INTERVAL_MS).unref();
  return {
    seconds,
    log: (line: string) => {
      step = line;
      timer.refresh();
      print(line);
    },
    end: () => clearInterval(timer),
  };
}

function printResult(bench: Bench, { size, seed }: BenchOptions, result: BenchResult, machine: object): void {
  const { verdict, reason, table, metrics } = result;
  console.log(`${bench.name}: ${bench.what}\n\n${tableText(table)}\n\n${verdict}: ${reason}\n`);
  console.log(JSON.stringify({ bench: bench.name, size, seed, verdict, reason, ...metrics, machine }));
}
