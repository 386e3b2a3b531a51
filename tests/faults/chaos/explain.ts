import type { TestStack } from "./stack.ts";

const RESPONSE_TIMEOUT_MS = 5_000;
const MAX_LINES = 12;

/** Explains why a wave has not finished: open pins, held calls, live processes, and the executor's runs. */
export async function explain(stack: TestStack, names: string, open: readonly string[]): Promise<string[]> {
  const { processes, proxies } = stack;
  const alive = [...stack.shape.instances, "executor", "executor2", "sandbox"].map(
    (name) => `${name} ${processes.isAlive(name) ? "runs" : "–"}`,
  );
  const held = Object.entries(proxies).map(([name, { holds }]) => `${name} holds ${holds.held()}`);
  const inFlight = `in flight: Pinterest ${proxies.pinterest.inFlight()}, models ${proxies.openAi.inFlight()}`;
  return [
    `${names}: ${open.length} not finished by the deadline, at ${stack.clocks.now().toISOString()}`,
    ...open.slice(0, MAX_LINES).map((line) => `  ${line}`),
    `  processes: ${alive.join(", ")}`,
    `  proxies: ${held.join(", ")}; ${inFlight}`,
    ...(await runsOf(stack)).map((line) => `  ${line}`),
  ];
}

interface RunRow {
  id: string;
  functionId: string;
  status: string;
  problem?: string | null;
}

async function runsOf({ executorUrl }: TestStack): Promise<string[]> {
  try {
    const answer = await fetch(`${executorUrl}/v1/runs?limit=200`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const { runs } = await answer.json();
    const list: RunRow[] = runs;
    const running = list.filter(({ status }) => status === "running");
    return running
      .slice(0, MAX_LINES)
      .map((item) => `run ${item.id} of ${item.functionId} ${item.status} ${item.problem ?? ""}`);
  } catch (error) {
    return [`could not read the executor's runs: ${String(error)}`];
  }
}
