/**
 * `npm run fuzz -- [--requests N] [--seed N] [--only INDEX] [--target TEXT] [--concurrency N]`: sends seeded hostile requests to every
 * call, page and server action of a built product on this machine. Exits with 0 only if none caused a 5xx, a response
 * over two seconds, a cut connection, an answer of the public API that its specification lacks, or a response with internals or another user's data.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fuzzReport } from "#tests/fuzz/report.ts";
import { FUZZ_SETTINGS, runFuzz } from "#tests/fuzz/run.ts";
import { ensureTestBuild, startTestApp } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => process.exit(130));
process.on("disconnect", () => process.exit(130));

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "7" },
    only: { type: "string" },
    target: { type: "string" },
    concurrency: { type: "string", default: "8" },
  },
});

await ensureTestBuild();
const cluster = await startTestCluster();
const app = await startTestApp({ serverUrl: cluster.serverUrl, settings: FUZZ_SETTINGS, clock: "real" });
const result = await runFuzz({
  app,
  seed: wholeNumber("seed"),
  requests: wholeNumber("requests"),
  concurrency: wholeNumber("concurrency"),
  ...(values.only !== undefined && { only: wholeNumber("only") }),
  ...(values.target !== undefined && { target: values.target }),
  log: (line) => console.log(`  ${line}`),
});
console.log(`\n${fuzzReport(result)}`);
if (values.only !== undefined) console.log(readFileSync(join(app.dataDir, "logs", "app.log"), "utf8"));
await app.stop();
await cluster.stop();
process.exit(result.failures.length === 0 ? 0 : 1);

function wholeNumber(name: "requests" | "seed" | "only" | "concurrency"): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name} must be a whole number.`);
  process.exit(2);
}
