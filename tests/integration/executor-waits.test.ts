import { NonRetriableError, referenceFunction } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { type House, runsOf, startHouse, until, untilEnded } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

const pending = (house: House, kind: string, count = 1) =>
  until(
    async () => {
      const rows = await house.query("select 1 from step where kind = $1 and completion is null", [kind]);
      return rows.length === count;
    },
    { what: `${count} pending ${kind}`, deadlineMs: 60_000 },
  );

describe("step.waitForEvent", () => {
  test("takes the first later event that fits, and null when none comes in time", async () => {
    const got: unknown[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step }) => {
        const matched = await step.waitForEvent("match", { event: "test/later", match: "data.order", timeout: "1h" });
        const chosen = await step.waitForEvent("if", {
          event: "test/chosen",
          if: "async.data.ok == true",
          timeout: "1h",
        });
        const none = await step.waitForEvent("none", { event: "test/never", timeout: "1s" });
        got.push(matched?.data, chosen?.data, none);
      }),
    ]);
    const send = (name: string, data: Record<string, unknown>) => house.app.client.send({ name, data });
    await send("test/later", { order: 7, text: "too early" });
    await send("test/go", { order: 7 });
    await pending(house, "wait");
    await send("test/later", { order: 8, text: "of another order" });
    await send("test/later", { order: 7, text: "\u0000 this one" });
    await until(async () => (await house.query("select 1 from step where name = 'if'")).length === 1);
    await send("test/chosen", { ok: false });
    await send("test/chosen", { ok: true });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(got).toEqual([{ order: 7, text: "\u0000 this one" }, { ok: true }, null]);
  });

  test("of many waiting runs one event lets all go on", async () => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step }) => {
        const found = await step.waitForEvent("wait", { event: "test/later", timeout: "1h" });
        return found?.data.word;
      }),
    ]);
    await house.app.client.send(Array.from({ length: 8 }, () => ({ name: "test/go" })));
    await pending(house, "wait", 8);
    await house.app.client.send({ name: "test/later", data: { word: "now" } });
    await untilEnded(house.url, "fn", 8);
    const outputs = await house.query<{ output: string }>("select output from run");
    expect(outputs.map((row) => row.output)).toEqual(Array.from({ length: 8 }, () => '"now"'));
  });
});

describe("step.invoke", () => {
  test("returns what the other function returns, and throws what it throws", async () => {
    const seen: unknown[] = [];
    const house = await startHouse(database().url, (client) => {
      const child = client.createFunction(
        { id: "child", retries: 0, triggers: [{ event: "test/child" }] },
        async ({ event, step }) => {
          if (event.data.fail) throw new NonRetriableError("the child fails");
          return step.run("double", () => ({ twice: event.data.n * 2, name: event.name }));
        },
      );
      return [
        child,
        client.createFunction({ id: "fn", ...go }, async ({ step }) => {
          seen.push(await step.invoke("five", { function: child, data: { n: 5 } }));
          const failed = step.invoke("fails", { function: child, data: { fail: true } });
          seen.push(await failed.catch((error: Error) => error.message));
          const unknown = step.invoke("unknown", {
            function: referenceFunction({ appId: "app", functionId: "nobody" }),
            data: {},
          });
          seen.push(await unknown.catch((error: Error) => error.message));
        }),
      ];
    });
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(seen.slice(0, 2)).toContainEqual({ twice: 10, name: "inngest/function.invoked" });
    expect(seen).toContain("the child fails");
    expect(String(seen.at(-1))).toContain("app-nobody");
    const [child] = await runsOf(house.url, "child");
    const detail = await (await fetch(`${house.url}/v1/runs/${child?.id}`)).json();
    expect(detail.parentRunId).toBe(run?.id);
  });

  test("ends with an error when it takes too long, or when the other run is cancelled", async () => {
    const house = await startHouse(database().url, (client) => {
      const child = client.createFunction(
        { id: "child", triggers: [{ event: "test/child" }], cancelOn: [{ event: "test/stop", match: "data.n" }] },
        async ({ step }) => step.sleep("long", "1h"),
      );
      return [
        child,
        client.createFunction({ id: "fn", ...go }, async ({ step }) => {
          const wait = (id: string, n: number, timeout: string) =>
            step.invoke(id, { function: child, data: { n }, timeout }).then(String, (error: Error) => error.message);
          return [await wait("late", 1, "1s"), await wait("stopped", 2, "1h")];
        }),
      ];
    });
    await house.app.client.send({ name: "test/go" });
    await pending(house, "sleep", 2);
    await house.app.client.send({ name: "test/stop", data: { n: 2 } });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    const { output } = await (await fetch(`${house.url}/v1/runs/${run?.id}`)).json();
    expect(JSON.parse(output)).toEqual([expect.stringMatching(/timed out/i), expect.stringMatching(/cancelled/i)]);
  });
});

describe("cancelOn", () => {
  test("ends sleeping, waiting and running runs that fit; what a running step returns is dropped", async () => {
    const bodies: string[] = [];
    const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const house = await startHouse(database().url, (client) => [
      client.createFunction(
        { id: "fn", ...go, cancelOn: [{ event: "test/stop", match: "data.user" }] },
        async ({ event, step }) => {
          if (event.data.how === "sleep") await step.sleep("nap", "1h");
          if (event.data.how === "wait") await step.waitForEvent("wait", { event: "test/never", timeout: "1h" });
          await step.run("work", async () => {
            bodies.push(event.data.how);
            entered.resolve();
            await leave.promise;
          });
          await step.run("after", () => bodies.push("after"));
        },
      ),
      client.createFunction({ id: "heard", triggers: [{ event: "inngest/function.cancelled" }] }, async ({ event }) => {
        bodies.push(`heard ${event.data.function_id}`);
      }),
    ]);
    const send = (how: string, user: string) => house.app.client.send({ name: "test/go", data: { how, user } });
    for (const how of ["sleep", "wait", "run"]) await send(how, "u1");
    await send("sleep", "u2");
    await pending(house, "sleep", 2);
    await pending(house, "wait");
    await entered.promise;
    await house.app.client.send({ name: "test/stop", data: { user: "u1" }, ts: Date.now() - 3_600_000 });
    await house.app.client.send({ name: "test/stop", data: { user: "u3" } });
    await house.app.client.send({ name: "test/stop", data: { user: "u1" } });
    await untilEnded(house.url, "heard", 3);
    leave.resolve();
    await until(async () => (await (await fetch(`${house.url}/health`)).json()).queue.inFlight === 0);
    const runs = await runsOf(house.url, "fn");
    expect(runs.filter((run) => run.status === "cancelled")).toHaveLength(3);
    expect(runs.filter((run) => run.status === "running")).toHaveLength(1);
    expect(bodies.toSorted()).toEqual(["heard app-fn", "heard app-fn", "heard app-fn", "run"]);
  });

  test("only within the rule's time", async () => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction(
        { id: "fn", ...go, cancelOn: [{ event: "test/stop", timeout: "1h" }] },
        async ({ step }) => {
          await step.sleep("nap", "2h");
        },
      ),
      client.createFunction({ id: "probe", triggers: [{ event: "test/stop" }] }, async () => 1),
    ]);
    await house.app.client.send([{ name: "test/go" }, { name: "test/go" }]);
    await pending(house, "sleep", 2);
    await house.query(
      "update run set started_at = started_at - interval '61 minutes' where id = (select max(id) from run)",
    );
    await house.app.client.send({ name: "test/stop" });
    await untilEnded(house.url, "probe");
    const runs = await runsOf(house.url, "fn");
    expect(runs.map((run) => run.status).toSorted()).toEqual(["cancelled", "running"]);
  });
});

describe("group.parallel", () => {
  test("in race mode goes on with the first step that is done, while the others are still under way", async () => {
    const order: string[] = [];
    const slow = Promise.withResolvers<void>();
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, group }) => {
        const winner = await group.parallel(() =>
          Promise.race([
            step.run("slow", async () => {
              await slow.promise;
              return "slow";
            }),
            step.run("fast", () => "fast"),
          ]),
        );
        await step.run("after", () => order.push(`after ${winner}`));
        slow.resolve();
        await step.run("last", () => order.push("last"));
        return winner;
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(order).toEqual(["after fast", "last"]);
  });
});

test("the ends of functions start others, and are stored only where somebody listens", async () => {
  const ends: unknown[] = [];
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async () => ({ answer: 42 })),
    client.createFunction(
      { id: "listener", triggers: [{ event: "inngest/function.finished", if: "event.data.function_id == 'app-fn'" }] },
      async ({ event }) => ends.push(event.data.result),
    ),
  ]);
  await house.app.client.send({ name: "test/go" });
  await untilEnded(house.url, "listener");
  expect(ends).toEqual([{ answer: 42 }]);
  const deaf = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async () => 1),
  ]);
  await deaf.app.client.send({ name: "test/go" });
  await untilEnded(deaf.url, "fn");
  expect(await deaf.query("select 1 from event where name like 'inngest/%'")).toHaveLength(0);
});
