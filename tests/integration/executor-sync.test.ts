import { describe, expect, test } from "vitest";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { runsOf, settingsFor, startApp, startHarness, until, untilEnded, untilReady } from "./executor-harness.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

describe("unsupported configuration is reported at the sync", () => {
  test("an unsupported option: not ready, one message, nothing runs", async () => {
    const app = await startApp((client) => [
      client.createFunction({ id: "fine", ...go }, async () => 1),
      client.createFunction({ id: "fn", ...go, throttle: { limit: 1, period: "1m" } }, async () => 1),
    ]);
    const log: string[] = [];
    const settings = settingsFor(app, database().url, "executor_refusing");
    await using executor = await startInngest({ ...settings, log: (line) => log.push(line) });
    app.connectTo(executor.url);
    const health = await until(async () => {
      const answer = await fetch(`${executor.url}/health`);
      const body = await answer.json();
      return body.problems.length > 0 && { status: answer.status, ...body };
    });
    expect(health).toMatchObject({ status: 503, ready: false, functions: [] });
    expect(health.problems[0]).toMatch(/"app-fn".*"throttle"/);
    expect(log.filter((line) => line.includes('"throttle"'))).toHaveLength(1);
    await app.client.send({ name: "test/go" });
    expect(await runsOf(executor.url, "fine")).toHaveLength(0);
  });

  test("different keys, and an app that sends its events elsewhere", async () => {
    const app = await startApp((client) => [client.createFunction({ id: "fn", ...go }, async () => 1)]);
    const settings = settingsFor(app, database().url, "executor_keys");
    await using wrongKey = await startInngest({
      ...{ ...settings, schema: "executor_other_keys", signingKey: "c3d4".repeat(16), log: () => {} },
    });
    await using rightKey = await startInngest({ ...settings, log: () => {} });
    const problemOf = async (url: string) => (await (await fetch(`${url}/health`)).json()).problems.join();
    app.connectTo(wrongKey.url);
    await expect.poll(() => problemOf(wrongKey.url), { timeout: 30_000 }).toContain("signing keys differ");
    await expect.poll(() => problemOf(rightKey.url), { timeout: 30_000 }).toContain("INNGEST_BASE_URL");
    app.connectTo(rightKey.url);
    await untilReady(rightKey.url);
  });
});

test("status is available as a page and as JSON", async () => {
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => step.run("<b>bold</b>", () => 1)),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await untilEnded(harness.url, "fn");
  const page = await (await fetch(`${harness.url}/`)).text();
  expect(page).toContain("app-fn");
  expect(page).toContain("&lt;b&gt;bold&lt;/b&gt;");
  expect(page).not.toContain("<b>bold</b>");
  expect(await (await fetch(`${harness.url}/health`)).json()).toMatchObject({
    ready: true,
    functions: ["app-fn"],
    queue: { due: 0, scheduled: 0, inFlight: 0, sleeping: 0, running: 0 },
  });
  expect((await fetch(`${harness.url}/v1/runs?limit=none`)).status).toBe(400);
});

test("runs can be read page by page, by status and function, and one by one with their steps", async () => {
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go, retries: 1 }, async ({ event, step, attempt }) => {
      await step.run("flaky", () => {
        if (attempt === 0) throw new TypeError("not yet");
        return { n: event.data.n };
      });
      if (event.data.n === 2) await step.sleep("nap", "1h");
      await step.run("big", () => "x".repeat(10_000));
      return event.data.n;
    }),
    client.createFunction({ id: "other", triggers: [{ event: "test/other" }] }, async () => 1),
  ]);
  const read = async (path: string) => (await fetch(`${harness.url}/v1/runs${path}`)).json();
  await harness.app.client.send([0, 1, 2].map((n) => ({ name: "test/go", data: { n } })));
  await harness.app.client.send({ name: "test/other" });
  await until(async () => (await read("?status=completed")).runs.length === 3, { deadlineMs: 60_000 });
  await until(async () => (await harness.query("select 1 from step where kind = 'sleep'")).length === 1);
  const first = await read("?limit=2&function=app-fn");
  const rest = await read(`?limit=2&function=app-fn&cursor=${first.nextCursor}`);
  expect([first.runs.length, rest.runs.length, rest.nextCursor]).toEqual([2, 1, null]);
  expect(new Set([...first.runs, ...rest.runs].map((run) => run.id)).size).toBe(3);
  const [sleeping] = (await read("?status=running")).runs;
  expect(await read(`/${sleeping.id}`)).toMatchObject({
    status: "running",
    eventBody: expect.stringContaining('"n":2'),
    output: null,
    openCalls: [],
    steps: [
      { name: "flaky", state: "done", attempts: 2, output: '{"n":2}', error: "TypeError: not yet" },
      { name: "nap", kind: "sleep", state: "pending", waitsFor: "its due time", dueAt: expect.stringMatching(/Z$/) },
    ],
  });
  const [done] = (await read("?status=completed&function=app-fn")).runs;
  const detail = await read(`/${done.id}`);
  expect(detail).toMatchObject({
    output: expect.stringMatching(/^[01]$/),
    endedAt: expect.any(String),
  });
  expect(detail.steps[1].output.length).toBeLessThan(5_000);
  expect((await fetch(`${harness.url}/v1/runs/none`)).status).toBe(404);
  for (const wrong of ["status=odd", "cursor=1", "limit=501"]) {
    expect((await fetch(`${harness.url}/v1/runs?${wrong}`)).status).toBe(400);
  }
});
