import { describe, expect, test } from "vitest";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { runsOf, settingsFor, startApp, startHouse, untilEnded, untilReady } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

describe("what cannot be kept to is said at the sync", () => {
  test("an unsupported option: not ready, one sentence, nothing runs", async () => {
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

  test("keys that differ, and an app that sends its events elsewhere", async () => {
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

test("people and programs can look at it", async () => {
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => step.run("<b>bold</b>", () => 1)),
  ]);
  await house.app.client.send({ name: "test/go" });
  await untilEnded(house.url, "fn");
  const page = await (await fetch(`${house.url}/`)).text();
  expect(page).toContain("app-fn");
  expect(page).toContain("&lt;b&gt;bold&lt;/b&gt;");
  expect(page).not.toContain("<b>bold</b>");
  expect(await (await fetch(`${house.url}/health`)).json()).toMatchObject({
    ready: true,
    functions: ["app-fn"],
    queue: { due: 0, scheduled: 0, inFlight: 0, sleeping: 0, running: 0 },
  });
  expect((await fetch(`${house.url}/v1/runs?limit=none`)).status).toBe(400);
});
