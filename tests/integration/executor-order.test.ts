import { expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, until, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();

const bigAndSmall = async (onStep: (name: string) => void) => {
  const release = Promise.withResolvers<void>();
  const harness = await startHarness(
    database().url,
    (client) => [
      client.createFunction({ id: "big", triggers: [{ event: "test/big" }] }, async ({ event, step }) => {
        await step.run("first", async () => {
          onStep(`${event.data.n} first`);
          await release.promise;
        });
        await step.run("last", () => onStep(`${event.data.n} last`));
      }),
      client.createFunction({ id: "due", triggers: [{ event: "test/due" }] }, async ({ step }) => {
        await step.sleep("nap", "1h");
        await step.run("due", () => onStep("due"));
      }),
    ],
    { concurrency: 2 },
  );
  return { harness, release };
};

test("a nearly finished run and an ended sleep do not wait behind a whole batch", async () => {
  const seen: string[] = [];
  const { harness, release } = await bigAndSmall((name) => seen.push(name));
  const has = async (sql: string) => (await harness.query(sql)).length > 0;
  await harness.app.client.send({ name: "test/due" });
  await until(() => has("select 1 from step where kind = 'sleep'"), { what: "the sleep to begin" });
  await harness.app.client.send(Array.from({ length: 12 }, (_, n) => ({ name: "test/big", data: { n } })));
  await until(() => seen.length === 2, { what: "both workers to be busy" });
  await harness.query("update step set due_at = now() where kind = 'sleep'");
  const isOver = () => has("select 1 from call join run on run.id = call.run_id where function_id = 'app-due'");
  await until(isOver, { what: "the sleep to end" });
  release.resolve();
  await untilEnded(harness.url, "big", 12);
  await untilEnded(harness.url, "due", 1);
  const lastToBegin = seen.findLastIndex((name) => name.endsWith(" first"));
  expect(seen.indexOf("due")).toBeLessThan(lastToBegin);
  expect(seen.findIndex((name) => name.endsWith(" last"))).toBeLessThan(lastToBegin);
});

test("within a key, runs start in the order they were sent and continue in the order they are due", async () => {
  const order: number[] = [];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction(
      { id: "fn", triggers: [{ event: "test/go" }], concurrency: { limit: 1 } },
      async ({ event, step }) => {
        await step.run("first", () => order.push(event.data.n));
        await step.sleep("nap", "1h");
        await step.run("second", () => order.push(event.data.n));
      },
    ),
  ]);
  const numbers = Array.from({ length: 8 }, (_, n) => n);
  await harness.app.client.send(numbers.map((n) => ({ name: "test/go", data: { n } })));
  const asleep = () => harness.query("select 1 from step where kind = 'sleep'");
  await until(async () => (await asleep()).length === numbers.length, { what: "all to sleep", deadlineMs: 60_000 });
  expect(order).toEqual(numbers);
  await harness.query(
    `update step set due_at = now() - (event.body::json -> 'data' ->> 'n')::int * interval '1 minute'
     from run join event on event.id = run.event_id where run.id = step.run_id and step.kind = 'sleep'`,
  );
  await untilEnded(harness.url, "fn", numbers.length);
  expect(order.slice(numbers.length)).toEqual(numbers.toReversed());
});
