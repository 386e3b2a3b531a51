import { randomInt } from "node:crypto";
import { isPortFree } from "#scripts/ports.ts";

/** Below the range from which systems take the ports of outgoing connections: those could take one while it is free. */
const FIRST = 20_000;
const AFTER_LAST = 32_000;
const TRIES_MAX = 1_000;

/**
 * So many different ports on which nobody listens. They stay free while their owner is being started again, unless
 * another test picks the same ones, which is unlikely.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries > TRIES_MAX) throw new Error("There are no free ports.");
    const port = randomInt(FIRST, AFTER_LAST);
    if (await isPortFree(port)) ports.add(port);
  }
  return [...ports];
}
