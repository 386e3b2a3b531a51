import { ensureTestBuild } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import type { Bench, Verdict } from "../harness/bench.ts";
import { percentile } from "../harness/statistics.ts";
import { publishScene } from "./product.ts";
import { drainTable, runGraphile } from "./queues.ts";
import { type Lateness, type Scene, scenesOf } from "./scene.ts";

interface Found {
  p50: number;
  p99: number;
  early: number;
  twice: number;
  missing: number;
}

const HEADS = ["scene", "who", "p50 ms", "p99 ms", "early", "twice", "missing"];

const find = ({ lateMs, missing, twice }: Lateness): Found => ({
  p50: Math.round(percentile(lateMs, 50)),
  p99: Math.round(percentile(lateMs, 99)),
  early: lateMs.filter((ms) => ms < 0).length,
  twice,
  missing,
});

const isWrong = ({ early, twice, missing }: Found): boolean => early + twice + missing > 0;

const judge = (all: readonly { scene: Scene; ours: Found }[]): { verdict: Verdict; because: string } => {
  const wrong = all.filter(({ ours }) => isWrong(ours));
  if (wrong.length > 0) return { verdict: "wrong", because: `early, twice or missing in: ${namesOf(wrong)}` };
  const missed = all.filter(({ scene, ours }) => ours.p99 > scene.aimMs);
  if (missed.length > 0) return { verdict: "missed", because: `p99 beyond the aim in: ${namesOf(missed)}` };
  return { verdict: "met", because: "every pin once, none early, p99 within both aims" };
};

const namesOf = (all: readonly { scene: Scene }[]): string => all.map(({ scene }) => scene.name).join(", ");

/** Due pins at the running product, one scene after the other; the bare queues only begin their jobs and call nobody. */
export const dueBench: Bench = {
  name: "due",
  what: "lateness to Pinterest's creation of a pin, beside bare queues; aims p99 ≤ 250 ms spread, ≤ 1 s at once",
  run: async ({ size, seed, say }) => {
    await ensureTestBuild();
    const cluster = await startTestCluster();
    const table: (string | number)[][] = [HEADS];
    const judged: { scene: Scene; ours: Found }[] = [];
    const figures: Record<string, unknown> = {};
    try {
      for (const scene of scenesOf(size, seed)) {
        say(`${scene.name}: a bare loop, graphile-worker, the product`);
        const floor = find(await drainTable(cluster.serverUrl, scene));
        const anchor = find(await runGraphile(cluster.serverUrl, scene));
        const ours = find(await publishScene(cluster.serverUrl, scene, size === "full" ? 50 : 10));
        for (const [who, found] of Object.entries({ product: ours, "graphile-worker": anchor, "bare loop": floor })) {
          table.push([scene.name, who, found.p50, found.p99, found.early, found.twice, found.missing]);
        }
        judged.push({ scene, ours });
        figures[scene.name] = { ours, anchor, floor };
      }
    } finally {
      await cluster.stop();
    }
    return { ...judge(judged), table, figures };
  },
};
