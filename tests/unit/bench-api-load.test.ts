import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { load } from "#tests/bench/api/load.ts";

/** A server that counts its requests, and the maximum at the same time. */
async function countingServer(
  status: number,
): Promise<{ server: Server; url: string; seen: { calls: number; most: number } }> {
  const seen = { calls: 0, most: 0 };
  let open = 0;
  const server = createServer((_, response) => {
    open += 1;
    seen.calls += 1;
    seen.most = Math.max(seen.most, open);
    setImmediate(() => {
      open -= 1;
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/`, seen };
}

test("load uses the given number of connections, one call at a time on each, and measures every call", async () => {
  const { server, url, seen } = await countingServer(200);
  const { timesMs, cpuMs } = await load({ url, headers: {}, pid: process.pid }, 3, 40);
  server.close();
  expect(seen.most).toBeLessThanOrEqual(3);
  expect(timesMs).toHaveLength(seen.calls - 3);
  expect(timesMs.length).toBeGreaterThan(0);
  expect(Math.min(...timesMs)).toBeGreaterThan(0);
  expect(cpuMs).toBeGreaterThanOrEqual(0);
});

test("a failed call ends the load", async () => {
  const { server, url } = await countingServer(503);
  await expect(load({ url, headers: {}, pid: process.pid }, 1, 40)).rejects.toThrow("returned 503");
  server.close();
});
