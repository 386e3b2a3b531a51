import { expect, test } from "vitest";
import { gatherResults } from "#inngest/functions/analytics.ts";
import { beHouseOfProcess } from "#tests/support/process-house.ts";
import { startHouse, untilEnded } from "./executor-house.ts";
import { gatheringWorld } from "./gathering-house.ts";

const { world, publish, ask, figures, calls } = gatheringWorld();

beHouseOfProcess(() => world.house);

test("A-83 the durable function fetches what was asked for, and an asking of before does nothing", async () => {
  const maker = await world.makeMaker();
  await publish(maker, 130);
  await ask(maker);
  const events = world.house.sentEvents.filter(({ name }) => name === "results/gather.requested");
  const executor = await startHouse(world.database.url, () => [gatherResults]);
  await executor.app.client.send(events.map((event) => ({ ...event })));
  const [run] = await untilEnded(executor.url, "gather-results", 1);
  expect(run?.steps.map(({ name }) => name)).toContain("gather-0");
  expect(await figures(maker)).toHaveLength(130);
  await executor.app.client.send(events.map((event) => ({ ...event, id: `${event.id}:again` })));
  await untilEnded(executor.url, "gather-results", 2);
  expect((await calls()).all).toHaveLength(2);
});
