import { NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { EVENT_KEY, runsOf, startHarness, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

const postEvents = (url: string, body: unknown, headers: Record<string, string> = {}, key = EVENT_KEY) =>
  fetch(`${url}/e/${key}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });

describe("an event", () => {
  test("with an id starts one run in 24 hours, and another one afterward", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    const send = () => harness.app.client.send({ id: "order-1", name: "test/go", data: {} });
    const [first, again] = [await send(), await send()];
    expect(again.ids).toEqual(first.ids);
    await untilEnded(harness.url, "fn");
    await harness.query("update event set received_at = received_at - interval '23 hours 59 minutes'");
    await send();
    await harness.query("update event set received_at = received_at - interval '2 minutes'");
    const later = await send();
    expect(later.ids).not.toEqual(first.ids);
    await untilEnded(harness.url, "fn", 2);
    expect(await runsOf(harness.url, "fn")).toHaveLength(2);
  });

  test("without an id counts once even if its POST is repeated", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    const seed = { "x-inngest-event-id-seed": `${Date.now()},AAECAwQFBgcICQ==` };
    const two = [{ name: "test/go" }, { name: "test/go" }];
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push(await (await postEvents(harness.url, two, seed)).json());
    expect(answers[0]).toMatchObject({ status: 200, ids: [expect.any(String), expect.any(String)] });
    expect(new Set(answers[0].ids).size).toBe(2);
    expect(answers[2]).toEqual(answers[0]);
    await untilEnded(harness.url, "fn", 2);
    expect(await runsOf(harness.url, "fn")).toHaveLength(2);
  });

  test("is rejected with a wrong key or a wrong shape, and nothing is stored", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    expect((await postEvents(harness.url, { name: "test/go" }, {}, "wrong")).status).toBe(401);
    const bad = [
      "{",
      [{}],
      [{ name: "" }],
      [{ name: "test/go", data: 5 }],
      [{ name: "inngest/function.failed", data: {} }],
    ];
    for (const body of bad) expect((await postEvents(harness.url, body)).status).toBe(400);
    expect((await postEvents(harness.url, [{ name: "test/go", data: { big: "x".repeat(530_000) } }])).status).toBe(400);
    expect(await harness.query("select 1 from event")).toHaveLength(0);
  });

  test("with a future timestamp starts its run at that time", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, () => 1),
    ]);
    const before = performance.now();
    await harness.app.client.send({ name: "test/go", ts: Date.now() + 1_000 });
    await untilEnded(harness.url, "fn");
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);
  });

  test("sent from a step is sent once, and fans out", async () => {
    const children: number[] = [];
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "parent", ...go, retries: 1 }, async ({ step, attempt }) => {
        const events = [1, 2, 3, 4, 5].map((n) => ({ name: "test/child", data: { n } }));
        await step.sendEvent("fan-out", events);
        if (attempt === 0) throw new Error("after sending");
      }),
      client.createFunction({ id: "child", triggers: [{ event: "test/child" }] }, async ({ event }) => {
        children.push(event.data.n);
      }),
    ]);
    await harness.app.client.send({ name: "test/go" });
    expect((await untilEnded(harness.url, "parent"))[0]?.status).toBe("completed");
    await untilEnded(harness.url, "child", 5);
    expect(children.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });
});

test("onFailure runs once for a failed run, and never for a failed failure handler", async () => {
  const failures: unknown[] = [];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction(
      {
        id: "fn",
        ...go,
        retries: 0,
        onFailure: async ({ event, error }: { event: { data: unknown }; error: Error }) => {
          failures.push({ data: event.data, message: error.message });
          throw new NonRetriableError("the handler fails too");
        },
      },
      async () => {
        throw new NonRetriableError("broken");
      },
    ),
    client.createFunction(
      { id: "other", triggers: [{ event: "test/other" }], onFailure: async () => failures.push("other") },
      async () => 1,
    ),
  ]);
  await harness.app.client.send({ name: "test/go", data: { n: 7 } });
  const [failed] = await untilEnded(harness.url, "fn");
  await untilEnded(harness.url, "fn-failure");
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({
    message: "broken",
    data: {
      function_id: "app-fn",
      run_id: failed?.id,
      event: { name: "test/go", data: { n: 7 } },
      error: { message: "broken" },
    },
  });
  expect(await harness.query("select 1 from event where name = 'inngest/function.failed'")).toHaveLength(1);
  expect(await runsOf(harness.url, "other-failure")).toHaveLength(0);
});
