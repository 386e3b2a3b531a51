import { setTimeout as delay } from "node:timers/promises";
import { NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { startHouse, untilEnded } from "./executor-house.ts";

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
    /** Stays a while, and the first ones until `expected` were inside together, however slow the machine is. */
    async visit(key: string, expected: number) {
      for (const name of [key, "all"]) add(name, 1);
      await until(() => (most.get("all") ?? 0) >= expected, { what: `${expected} at a time` });
      await delay(20);
      for (const name of [key, "all"]) add(name, -1);
    },
  };
};

describe("concurrency", () => {
  test("one at a time for each value of a key, while other keys go on", async () => {
    const { most, visit } = crowd();
    const house = await startHouse(database().url, (client) => [
      client.createFunction(
        { id: "fn", ...go, concurrency: { limit: 1, key: "event.data.user" } },
        async ({ step, event }) => {
          for (const part of ["a", "b"]) {
            await step.run(part, () => visit(event.data.user, 2));
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
            await visit(event.data.user, 3);
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
