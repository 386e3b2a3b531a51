import { ensureTestBuild } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import type { Bench, Verdict } from "../harness/bench.ts";
import { percentile } from "../harness/statistics.ts";
import { publishScenario } from "./product.ts";
import { drainTable, runGraphile } from "./queues.ts";
import { type Lateness, type Scenario, scenariosOf } from "./scenario.ts";

interface Measured {
  p50: number;
  p99: number;
  early: number;
  twice: number;
  missing: number;
  cpuMsPerPin: number | null;
}

const HEADS = ["scenario", "contender", "p50 ms", "p99 ms", "early", "twice", "missing", "CPU ms per pin"];

const find = ({ lateMs, missing, twice, cpuMsPerPin }: Lateness): Measured => ({
  p50: Math.round(percentile(lateMs, 50)),
  p99: Math.round(percentile(lateMs, 99)),
  early: lateMs.filter((ms) => ms < 0).length,
  twice,
  missing,
  cpuMsPerPin: cpuMsPerPin === undefined ? null : Math.round(cpuMsPerPin * 10) / 10,
});

/** Instead of the delay, for machines that other work delays. */
const CPU_MS_TARGET = 8;

const isWrong = ({ early, twice, missing }: Measured): boolean => early + twice + missing > 0;

const evaluate = (all: readonly { scenario: Scenario; ours: Measured }[]): { verdict: Verdict; reason: string } => {
  const wrong = all.filter(({ ours }) => isWrong(ours));
  if (wrong.length > 0) return { verdict: "wrong", reason: `early, twice or missing in: ${namesOf(wrong)}` };
  const missed = all.filter(
    ({ scenario, ours }) =>
      ours.p99 > scenario.targetMs && (ours.cpuMsPerPin ?? Number.POSITIVE_INFINITY) > CPU_MS_TARGET,
  );
  if (missed.length > 0) return { verdict: "missed", reason: `p99 and CPU miss their targets in: ${namesOf(missed)}` };
  return { verdict: "met", reason: "every pin once, none early, p99 or CPU within the targets" };
};

const namesOf = (all: readonly { scenario: Scenario }[]): string => all.map(({ scenario }) => scenario.name).join(", ");

/**
 * Due pins in the running product, one scenario after the other. The bare queues only start their jobs, without any
 * call.
 */
export const dueBench: Bench = {
  name: "due",
  what: "delay until Pinterest has created a due pin, vs. bare queues; target: p99 ≤ 250 ms spread out, ≤ 1 s all at once, or 8 ms of CPU a pin",
  run: async ({ size, seed, log }) => {
    await ensureTestBuild();
    const cluster = await startTestCluster();
    const table: (string | number)[][] = [HEADS];
    const measured: { scenario: Scenario; ours: Measured }[] = [];
    const metrics: Record<string, unknown> = {};
    try {
      for (const scenario of scenariosOf(size, seed)) {
        log(`${scenario.name}: a bare loop, graphile-worker, the product`);
        const baseline = find(await drainTable(cluster.serverUrl, scenario));
        const reference = find(await runGraphile(cluster.serverUrl, scenario));
        const ours = find(await publishScenario(cluster.serverUrl, scenario, size === "full" ? 50 : 10));
        for (const [who, result] of Object.entries({
          product: ours,
          "graphile-worker": reference,
          "bare loop": baseline,
        })) {
          const { p50, p99, early, twice, missing, cpuMsPerPin } = result;
          table.push([scenario.name, who, p50, p99, early, twice, missing, cpuMsPerPin ?? ""]);
        }
        measured.push({ scenario, ours });
        metrics[scenario.name] = { ours, reference, baseline };
      }
    } finally {
      await cluster.stop();
    }
    return { ...evaluate(measured), table, metrics };
  },
};
