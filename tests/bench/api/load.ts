import { Agent, get } from "node:http";
import type { Sample } from "../harness/interleave.ts";
import { cpuMsOf } from "../harness/machine.ts";

/** A GET request, and the process that handles it. */
export type Target = { url: string; headers: Record<string, string>; pid: number };

/** A complete response. */
export type Answer = { status: number; text: string };

const RESPONSE_MS = 60_000;

/** Sends one request and reads the whole response. */
export function call({ url, headers }: Target, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers, timeout: RESPONSE_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    request.once("timeout", () => request.destroy(new Error(`No response from ${url}`)));
    request.once("error", reject);
  });
}

/** Repeats requests on all connections for a time: measures each request, and the CPU time of the handling process. */
export async function load(target: Target, connections: number, forMs: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const timesMs: number[] = [];
  const caller = async (endsAt: number) => {
    do {
      const startedAt = performance.now();
      const { status } = await call(target, agent);
      if (status !== 200) throw new Error(`${target.url} returned ${status}`);
      timesMs.push(performance.now() - startedAt);
    } while (performance.now() < endsAt);
  };
  try {
    // Connecting is not measured.
    await Promise.all(Array.from({ length: connections }, () => call(target, agent)));
    const before = cpuMsOf(target.pid);
    const endsAt = performance.now() + forMs;
    await Promise.all(Array.from({ length: connections }, () => caller(endsAt)));
    return { cpuMs: cpuMsOf(target.pid) - before, timesMs };
  } finally {
    agent.destroy();
  }
}
