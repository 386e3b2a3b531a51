import { randomInt } from "node:crypto";
import { isPortFree } from "#scripts/ports.ts";

/** Below the ephemeral range, from which the system picks ports of outgoing connections. */
const FIRST = 20_000;
const LIMIT = 32_000;
const MAX_TRIES = 1_000;

/**
 * Different ports that nothing listens on. They stay free while their process restarts, unless another test happens to
 * pick the same ones.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries > MAX_TRIES) throw new Error("There are no free ports.");
    const port = randomInt(FIRST, LIMIT);
    if (await isPortFree(port)) ports.add(port);
  }
  return [...ports];
}
