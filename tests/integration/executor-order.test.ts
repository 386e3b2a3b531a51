import { expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { startHouse, untilEnded } from "./executor-house.ts";

const database = databaseForFile();

const bigAndSmall = async (onStep: (name: string) => void) => {
  const release = Promise.withResolvers<void>();
  const house = await startHouse(
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
        await step.sleep("nap", "1s");
        await step.run("due", () => onStep("due"));
      }),
    ],
    { concurrency: 2 },
  );
  return { house, release };
};

test("a run that is nearly done, and a sleep that is over, do not queue up behind a whole batch", async () => {
  const seen: string[] = [];
  const { house, release } = await bigAndSmall((name) => seen.push(name));
  const has = async (sql: string) => (await house.query(sql)).length > 0;
  await house.app.client.send({ name: "test/due" });
  await until(() => has("select 1 from step where kind = 'sleep'"), { what: "the sleep to begin" });
  await house.app.client.send(Array.from({ length: 12 }, (_, n) => ({ name: "test/big", data: { n } })));
  await until(() => seen.length === 2, { what: "both workers to be busy" });
  const isOver = () => has("select 1 from run where function_id = 'app-due' and started_at < now() - interval '1.5 s'");
  await until(isOver, { what: "the sleep to be over" });
  release.resolve();
  await untilEnded(house.url, "big", 12);
  await untilEnded(house.url, "due", 1);
  const lastToBegin = seen.findLastIndex((name) => name.endsWith(" first"));
  expect(seen.indexOf("due")).toBeLessThan(lastToBegin);
  expect(seen.findIndex((name) => name.endsWith(" last"))).toBeLessThan(lastToBegin);
});
