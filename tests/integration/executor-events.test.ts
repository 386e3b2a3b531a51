import { NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { EVENT_KEY, runsOf, settingsFor, startApp, startHouse, untilEnded, untilReady } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** How many bodies are inside at a time, in all and for each key. */
const crowd = () => {
  const inside = new Map<string, number>();
  const most = new Map<string, number>();
  const add = (key: string, by: number) => {
    inside.set(key, (inside.get(key) ?? 0) + by);
    most.set(key, Math.max(most.get(key) ?? 0, inside.get(key) ?? 0));
  };
  return {
    most,
    async visit(key: string, work: () => Promise<unknown>) {
      for (const name of [key, "all"]) add(name, 1);
      await work();
      for (const name of [key, "all"]) add(name, -1);
    },
  };
};

const postEvents = (url: string, body: unknown, headers: Record<string, string> = {}, key = EVENT_KEY) =>
  fetch(`${url}/e/${key}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });

describe("an event", () => {
  test("with an id starts one run in 24 hours, and another one after", async () => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    const send = () => house.app.client.send({ id: "order-1", name: "test/go", data: {} });
    const [first, again] = [await send(), await send()];
    expect(again.ids).toEqual(first.ids);
    await untilEnded(house.url, "fn");
    await house.query("update event set received_at = received_at - interval '23 hours 59 minutes'");
    await send();
    await house.query("update event set received_at = received_at - interval '2 minutes'");
    const later = await send();
    expect(later.ids).not.toEqual(first.ids);
    await untilEnded(house.url, "fn", 2);
    expect(await runsOf(house.url, "fn")).toHaveLength(2);
  });

  test("without an id counts once however often its POST is repeated", async () => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    const seed = { "x-inngest-event-id-seed": `${Date.now()},AAECAwQFBgcICQ==` };
    const two = [{ name: "test/go" }, { name: "test/go" }];
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push(await (await postEvents(house.url, two, seed)).json());
    expect(answers[0]).toMatchObject({ status: 200, ids: [expect.any(String), expect.any(String)] });
    expect(new Set(answers[0].ids).size).toBe(2);
    expect(answers[2]).toEqual(answers[0]);
    await untilEnded(house.url, "fn", 2);
    expect(await runsOf(house.url, "fn")).toHaveLength(2);
  });

  test("is refused with a wrong key or in a wrong shape, and nothing is stored", async () => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async () => 1),
    ]);
    expect((await postEvents(house.url, { name: "test/go" }, {}, "wrong")).status).toBe(401);
    const bad = [
      "{",
      [{}],
      [{ name: "" }],
      [{ name: "test/go", data: 5 }],
      [{ name: "inngest/function.failed", data: {} }],
    ];
    for (const body of bad) expect((await postEvents(house.url, body)).status).toBe(400);
    expect((await postEvents(house.url, [{ name: "test/go", data: { big: "x".repeat(530_000) } }])).status).toBe(400);
    expect(await house.query("select 1 from event")).toHaveLength(0);
  });

  test("of the future starts its run then, and only where the condition holds", async () => {
    const started: string[] = [];
    const note = async ({ event }: { event: { data: { who: string } } }) => started.push(event.data.who);
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", triggers: [{ event: "test/go", if: "event.data.who == 'me'" }] }, note),
    ]);
    const before = performance.now();
    await house.app.client.send([
      { name: "test/go", data: { who: "me" }, ts: Date.now() + 1_000 },
      { name: "test/go", data: { who: "you" } },
    ]);
    await untilEnded(house.url, "fn");
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);
    expect(started).toEqual(["me"]);
  });

  test("sent from a step is sent once, and fans out", async () => {
    const children: number[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "parent", ...go, retries: 1 }, async ({ step, attempt }) => {
        const events = [1, 2, 3, 4, 5].map((n) => ({ name: "test/child", data: { n } }));
        await step.sendEvent("fan-out", events);
        if (attempt === 0) throw new Error("after sending");
      }),
      client.createFunction({ id: "child", triggers: [{ event: "test/child" }] }, async ({ event }) => {
        children.push(event.data.n);
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    expect((await untilEnded(house.url, "parent"))[0]?.status).toBe("completed");
    await untilEnded(house.url, "child", 5);
    expect(children.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("concurrency", () => {
  test("one at a time for each value of a key, while other keys go on", async () => {
    const { most, visit } = crowd();
    const house = await startHouse(database().url, (client) => [
      client.createFunction(
        { id: "fn", ...go, concurrency: { limit: 1, key: "event.data.user" } },
        async ({ step, event }) => {
          for (const part of ["a", "b"]) {
            await step.run(part, () => visit(event.data.user, () => new Promise((resolve) => setTimeout(resolve, 40))));
          }
        },
      ),
    ]);
    const users = ["u1", "u2", "u1", "u2", "u1", "u2", "u1", "u2"];
    await house.app.client.send(users.map((user) => ({ name: "test/go", data: { user } })));
    const runs = await untilEnded(house.url, "fn", users.length);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect(most.get("u1")).toBe(1);
    expect(most.get("u2")).toBe(1);
    expect(most.get("all")).toBe(2);
    expect(await house.query("select 1 from slot")).toHaveLength(0);
  });

  test("any limit, together with a key; retries and failures free their place", async () => {
    const { most, visit } = crowd();
    const house = await startHouse(database().url, (client) => [
      client.createFunction(
        { id: "fn", ...go, retries: 1, concurrency: [{ limit: 3 }, { limit: 2, key: "event.data.user" }] },
        async ({ step, event, attempt }) => {
          await step.run("work", async () => {
            await visit(event.data.user, () => new Promise((resolve) => setTimeout(resolve, 30)));
            if (event.data.n % 3 === 0 && attempt === 0) throw new Error("again");
            if (event.data.n % 5 === 0) throw new NonRetriableError("never");
          });
        },
      ),
    ]);
    const events = Array.from({ length: 20 }, (_, n) => ({ name: "test/go", data: { n, user: n < 12 ? "u1" : "u2" } }));
    await house.app.client.send(events);
    await untilEnded(house.url, "fn", events.length);
    expect(most.get("u1")).toBe(2);
    expect(most.get("all")).toBe(3);
    expect(await house.query("select 1 from slot")).toHaveLength(0);
  });

  test("a sleeping run holds no place", async () => {
    const order: string[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, concurrency: 1 }, async ({ step, event }) => {
        await step.run("start", () => order.push(`${event.data.name} starts`));
        await step.sleep("nap", "1s");
        await step.run("end", () => order.push(`${event.data.name} ends`));
      }),
    ]);
    await house.app.client.send(["a", "b"].map((name) => ({ name: "test/go", data: { name } })));
    await untilEnded(house.url, "fn", 2);
    expect(order.slice(0, 2).toSorted()).toEqual(["a starts", "b starts"]);
    expect(order).toHaveLength(4);
  });
});

test("onFailure runs once for a failed run, and never for a failed failure handler", async () => {
  const failures: unknown[] = [];
  const house = await startHouse(database().url, (client) => [
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
  await house.app.client.send({ name: "test/go", data: { n: 7 } });
  const [failed] = await untilEnded(house.url, "fn");
  await untilEnded(house.url, "fn-failure");
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
  expect(await house.query("select 1 from event where name = 'inngest/function.failed'")).toHaveLength(1);
  expect(await runsOf(house.url, "other-failure")).toHaveLength(0);
});

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
    await using wrongKey = await startInngest({ ...settings, signingKey: "c3d4".repeat(16), log: () => {} });
    await using rightKey = await startInngest({ ...settings, log: () => {} });
    const problemOf = async (url: string) => (await (await fetch(`${url}/health`)).json()).problems.join();
    app.connectTo(wrongKey.url);
    await expect.poll(() => problemOf(wrongKey.url), { timeout: 5_000 }).toContain("signing keys differ");
    await expect.poll(() => problemOf(rightKey.url), { timeout: 5_000 }).toContain("INNGEST_BASE_URL");
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
    queue: { due: 0, scheduled: 0, waiting: 0, running: 0 },
  });
  expect((await fetch(`${house.url}/v1/runs?limit=none`)).status).toBe(400);
});
