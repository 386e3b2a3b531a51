import { type Inngest, NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, until, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** The maximum number of concurrent steps, in total and per key. */
const createCounter = () => {
  const inside = new Map<string, number>();
  const most = new Map<string, number>();
  const add = (key: string, by: number) => {
    inside.set(key, (inside.get(key) ?? 0) + by);
    most.set(key, Math.max(most.get(key) ?? 0, inside.get(key) ?? 0));
  };
  return {
    most,
    /** Waits until `expected` steps run at the same time, and then until the executor has polled once more. */
    async visit(key: string, expected: number, waitForProbe: () => Promise<void>) {
      for (const name of [key, "all"]) add(name, 1);
      await until(() => (most.get("all") ?? 0) >= expected, { what: `${expected} concurrent steps` });
      await waitForProbe();
      for (const name of [key, "all"]) add(name, -1);
    },
  };
};

/** A probe function. Once it has run, the executor has started every step that its limits allow. */
const createProbe = (client: Inngest) => {
  const seen = new Set<number>();
  let sent = 0;
  return {
    probe: client.createFunction({ id: "probe", triggers: [{ event: "test/probe" }] }, async ({ event }) => {
      seen.add(event.data.n);
    }),
    async waitForProbe() {
      sent += 1;
      const n = sent;
      await client.send({ name: "test/probe", data: { n } });
      await until(() => seen.has(n), { what: "the probe to run" });
    },
  };
};

describe("concurrency", () => {
  test("one run at a time per key, while other keys continue", async () => {
    const { most, visit } = createCounter();
    const harness = await startHarness(database().url, (client) => {
      const { probe, waitForProbe } = createProbe(client);
      return [
        client.createFunction(
          { id: "fn", ...go, concurrency: { limit: 1, key: "event.data.user" } },
          async ({ step, event }) => {
            for (const part of ["a", "b"]) await step.run(part, () => visit(event.data.user, 2, waitForProbe));
          },
        ),
        probe,
      ];
    });
    const users = ["u1", "u2", "u1", "u2", "u1", "u2", "u1", "u2"];
    await harness.app.client.send(users.map((user) => ({ name: "test/go", data: { user } })));
    const runs = await untilEnded(harness.url, "fn", users.length);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect(most.get("u1")).toBe(1);
    expect(most.get("u2")).toBe(1);
    expect(most.get("all")).toBe(2);
    expect(await harness.query("select 1 from call where lane like '%app-fn%'")).toHaveLength(0);
  });

  test("any limit combined with a key; retries and failures free their slot", async () => {
    const { most, visit } = createCounter();
    const harness = await startHarness(database().url, (client) => {
      const { probe, waitForProbe } = createProbe(client);
      return [
        client.createFunction(
          { id: "fn", ...go, retries: 1, concurrency: [{ limit: 3 }, { limit: 2, key: "event.data.user" }] },
          async ({ step, event, attempt }) => {
            await step.run("work", async () => {
              await visit(event.data.user, 3, waitForProbe);
              if (event.data.n % 3 === 0 && attempt === 0) throw new Error("again");
              if (event.data.n % 5 === 0) throw new NonRetriableError("never");
            });
          },
        ),
        probe,
      ];
    });
    const events = Array.from({ length: 15 }, (_, n) => ({ name: "test/go", data: { n, user: n < 9 ? "u1" : "u2" } }));
    await harness.app.client.send(events);
    await untilEnded(harness.url, "fn", events.length);
    expect(most.get("u1")).toBe(2);
    expect(most.get("all")).toBe(3);
    expect(await harness.query("select 1 from call where lane like '%app-fn%'")).toHaveLength(0);
  });

  test("a sleeping run uses no slot", async () => {
    const order: string[] = [];
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, concurrency: 1 }, async ({ step, event }) => {
        await step.run("start", () => order.push(`${event.data.name} starts`));
        await step.sleep("nap", "1h");
        await step.run("end", () => order.push(`${event.data.name} ends`));
      }),
    ]);
    await harness.app.client.send(["a", "b"].map((name) => ({ name: "test/go", data: { name } })));
    const asleep = () => harness.query("select 1 from step where kind = 'sleep'");
    await until(async () => (await asleep()).length === 2, { what: "both to sleep" });
    await harness.query("update step set due_at = now() where kind = 'sleep'");
    await untilEnded(harness.url, "fn", 2);
    expect(order.slice(0, 2).toSorted()).toEqual(["a starts", "b starts"]);
    expect(order).toHaveLength(4);
  });

  test("a key with hundreds of waiting steps delays neither other keys nor other functions", async () => {
    const order: string[] = [];
    const release = Promise.withResolvers<void>();
    const harness = await startHarness(
      database().url,
      (client) => [
        client.createFunction(
          { id: "fn", ...go, concurrency: { limit: 3, key: "event.data.user" } },
          async ({ event }) => {
            order.push(event.data.user);
            if (event.data.user === "busy") await release.promise;
          },
        ),
        client.createFunction({ id: "free", triggers: [{ event: "test/free" }] }, async () => order.push("free")),
      ],
      { concurrency: 4 },
    );
    const busy = Array.from({ length: 120 }, () => ({ name: "test/go", data: { user: "busy" } }));
    await harness.app.client.send(busy);
    await until(() => order.length === 3, { what: "the busy key to be full" });
    await harness.app.client.send([{ name: "test/go", data: { user: "quiet" } }, { name: "test/free" }]);
    await until(() => order.length === 5, { what: "the other keys to pass the waiting steps" });
    expect(order.slice(3).toSorted()).toEqual(["free", "quiet"]);
    release.resolve();
    await untilEnded(harness.url, "fn", busy.length + 1);
    expect(order).toHaveLength(busy.length + 2);
  });
});
