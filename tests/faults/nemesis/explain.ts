import type { World } from "./world.ts";

const ANSWER_MS = 5_000;
const MOST_LINES = 12;

/** Says in words why a wave has not ended: what is open, what is held, who is alive, what the executor works on. */
export async function explain(world: World, names: string, open: readonly string[]): Promise<string[]> {
  const { processes, proxies } = world;
  const alive = ["app", "executor", "executor2", "sandbox"].map(
    (name) => `${name} ${processes.isAlive(name) ? "runs" : "–"}`,
  );
  const held = Object.entries(proxies).map(([name, { holds }]) => `${name} holds ${holds.held()}`);
  const flying = `on their way: Pinterest ${proxies.pinterest.inFlight()}, models ${proxies.openAi.inFlight()}`;
  return [
    `${names}: ${open.length} not ended by the deadline, at ${world.clocks.now().toISOString()}`,
    ...open.slice(0, MOST_LINES).map((line) => `  ${line}`),
    `  processes: ${alive.join(", ")}`,
    `  proxies: ${held.join(", ")}; ${flying}`,
    ...(await runsOf(world)).map((line) => `  ${line}`),
  ];
}

interface RunRow {
  id: string;
  functionId: string;
  status: string;
  problem?: string | null;
}

async function runsOf({ executorUrl }: World): Promise<string[]> {
  try {
    const answer = await fetch(`${executorUrl}/v1/runs?limit=200`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { runs } = await answer.json();
    const list: RunRow[] = runs;
    const running = list.filter(({ status }) => status === "running");
    return running
      .slice(0, MOST_LINES)
      .map((one) => `run ${one.id} of ${one.functionId} ${one.status} ${one.problem ?? ""}`);
  } catch (error) {
    return [`the executor does not say what it works on: ${String(error)}`];
  }
}
