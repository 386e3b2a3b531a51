import { createServer } from "node:http";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { expect, onTestFinished, test } from "vitest";
import { functions } from "#inngest/functions/index.ts";
import { SCAN_GAP_MS, scanEveryQuarterMinute } from "#inngest/scans.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { HEARTBEAT_MS, SILENT_AFTER_MS } from "#lib/features/generation/constants.ts";
import { readFunctions } from "#sandbox/inngest/functions.ts";
import { signRequest } from "#sandbox/inngest/protocol.ts";
import { readSources } from "#tests/support/source/files.ts";

const silent = { info() {}, warn() {}, error() {}, debug() {} };
/** Options that Inngest Cloud, a self-hosted server and the local executor treat the same way. */
const CONFIG = ["id", "name", "triggers", "steps", "concurrency"];
const STEPS = ["run", "sleep", "sleepUntil"];

const configs = functions.flatMap((fn) => {
  const { getConfig } = fn as unknown as {
    getConfig(this: unknown, options: { baseUrl: URL; appPrefix: string }): Record<string, unknown>[];
  };
  const shipped = getConfig.call(fn, { baseUrl: new URL("http://localhost/api/inngest"), appPrefix: "app" });
  return shipped.map((config): Record<string, unknown> => JSON.parse(JSON.stringify(config)));
});

test("functions use only options that all engines support", () => {
  const used = configs.flatMap((config) => Object.keys(config).map((key) => `${config.id} ${key}`));
  expect(used.filter((entry) => !CONFIG.includes(entry.split(" ")[1] ?? ""))).toEqual([]);
  const rules = configs.flatMap(({ concurrency }) => (concurrency === undefined ? [] : [concurrency].flat()));
  for (const rule of rules) {
    expect(rule).toMatchObject({ limit: expect.any(Number) });
    expect(Object.keys(Object(rule)).filter((key) => !["limit", "key"].includes(key))).toEqual([]);
  }
});

test("A-83 a failed sync request delays no weekly email: they run independently", () => {
  const weekly = configs.filter(({ id }) => String(id).includes("-weekly-"));
  expect(weekly.map(({ id }) => id)).toEqual(["app-request-weekly-metrics", "app-send-weekly-emails"]);
  for (const { triggers } of weekly) expect(triggers).toEqual([{ cron: "*/15 * * * *" }]);
});

test("R-SRV-03 a task whose run the engine lost continues within a minute: its silence and a scan's gap are no longer", () => {
  expect(SILENT_AFTER_MS + SCAN_GAP_MS).toBeLessThanOrEqual(MINUTE_MS);
  expect(SILENT_AFTER_MS).toBeGreaterThan(2 * HEARTBEAT_MS);
  const scans = configs.filter(({ id }) => ["app-start-due-pins", "app-sweep-tasks"].includes(String(id)));
  expect(scans.map(({ triggers }) => triggers)).toEqual([[{ cron: "* * * * *" }], [{ cron: "* * * * *" }]]);
});

test("R-SRV-05 tokens are renewed daily, and the image storage is checked every minute", () => {
  const cronOf = (name: string) => configs.find(({ id }) => id === `app-${name}`)?.triggers;
  expect(cronOf("renew-tokens")).toEqual([{ cron: "41 4 * * *" }]);
  expect(cronOf("sweep")).toEqual([{ cron: "* * * * *" }]);
});

test("a scanning function scans four times a minute, every 15 seconds", async () => {
  const done: string[] = [];
  const step = {
    run: async (name: string, work: () => unknown) => {
      done.push(name);
      await work();
    },
    sleep: async (_name: string, ms: number) => void done.push(`${ms} ms`),
  };
  await scanEveryQuarterMinute(step as never, async (round) => void done.push(`round ${round}`));
  const rounds = [0, 1, 2, 3].map((round) => [`scan-${round}`, `round ${round}`]);
  expect(done).toEqual(rounds.flatMap((scan, round) => (round > 0 ? ["15000 ms", ...scan] : scan)));
});

test("functions use only steps that work the same everywhere", () => {
  const sources = readSources().filter(({ path }) => path.startsWith("inngest/"));
  const used = sources.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:step|group)\.(\w+)/g)].map(([, name = ""]) => name),
  );
  expect(used.length).toBeGreaterThan(5);
  expect([...new Set(used)].filter((name) => !STEPS.includes(name))).toEqual([]);
});

test("the local executor registers exactly these functions", () => {
  const { functions: known, problems } = readFunctions(configs);
  expect(problems).toEqual([]);
  expect([...known.keys()].toSorted()).toEqual(configs.map(({ id }) => String(id)).toSorted());
});

test("a signed PUT registers the app with its server, an unsigned one does not", async () => {
  const signingKey = `signkey-test-${"a1".repeat(32)}`;
  const registered: string[] = [];
  const server = createServer((request, response) => {
    registered.push(`${request.method} ${request.url} ${String(request.headers.authorization).slice(0, 20)}`);
    response.writeHead(200, { "content-type": "application/json" }).end('{"message":"ok","modified":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const client = new Inngest({
    id: "app",
    isDev: false,
    baseUrl: `http://127.0.0.1:${port}`,
    eventKey: "e",
    signingKey,
    logger: silent,
  });
  const fn = client.createFunction({ id: "fn", triggers: [{ event: "a/b" }] }, async () => 1);
  const endpoint = serve({ client, functions: [fn], enableUnauthedSync: false });
  const put = (headers: Record<string, string>) =>
    endpoint(
      new Request("http://app.example/api/inngest", { method: "PUT", headers: { host: "app.example", ...headers } }),
    );
  expect((await put({})).status).toBe(401);
  expect(registered).toEqual([]);
  expect((await put({ "x-inngest-signature": signRequest("", signingKey, Date.now()) })).status).toBe(200);
  expect(registered).toEqual([expect.stringMatching(/^POST \/fn\/register Bearer signkey-test/)]);
});
