import { expect, test } from "vitest";
import { syncAnalytics } from "#inngest/functions/analytics.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { syncHarness } from "./analytics-sync-harness.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";

const { setup, publish, requestEvent, storedMetrics, calls } = syncHarness();

setProcessContainer(() => setup.harness);

test("A-83 the durable function syncs the account, and an event of an earlier request does nothing", async () => {
  const creator = await setup.insertCreator();
  await publish(creator, 130);
  await requestEvent(creator);
  const events = setup.harness.sentEvents.filter(({ name }) => name === "analytics/sync.requested");
  const executor = await startHarness(setup.database.url, () => [syncAnalytics]);
  await executor.app.client.send(events.map((event) => ({ ...event })));
  const [run] = await untilEnded(executor.url, "sync-analytics", 1);
  expect(run?.steps.map(({ name }) => name)).toContain("sync-0");
  expect(await storedMetrics(creator)).toHaveLength(130);
  await executor.app.client.send(events.map((event) => ({ ...event, id: `${event.id}:again` })));
  await untilEnded(executor.url, "sync-analytics", 2);
  expect((await calls()).all).toHaveLength(2);
});
