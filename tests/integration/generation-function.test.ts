import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { drawingPlaces } from "#db/schema/generation.ts";
import { generatePin } from "#inngest/functions/generate-pin.ts";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { beHouseOfProcess } from "#tests/support/process-house.ts";
import { startHouse, untilEnded } from "./executor-house.ts";
import { CHAT, generationWorld, IMAGES, type Maker } from "./generation-house.ts";

const world = generationWorld();

beHouseOfProcess(() => world.house);

/** Runs the real function under the real executor for what the world's starts have asked for. */
const runAll = async (maker: Maker, groupId: string, beforeSending = async (): Promise<unknown> => undefined) => {
  const executor = await startHouse(world.databaseUrl, () => [generatePin]);
  const taskIds = (await world.tasksOf(groupId)).map(({ id }) => id);
  const events = world.house.sentEvents.filter(
    ({ data }) => "taskId" in data && taskIds.some((id) => id === data.taskId),
  );
  await beforeSending();
  await executor.app.client.send(events.map((event) => ({ ...event })));
  const runs = await untilEnded(executor.url, "generate-pin", taskIds.length);
  return { runs, wire: toTrackingWire(await trackGeneration(maker.ctx, { groupId }), maker.ctx) };
};

test("DESIGN §5.2: every pin of a group is made, side by side; problems pass, refusals fail alone", async () => {
  const maker = await world.makeMaker(20);
  await world.strike({ match: IMAGES, scenario: "rate_limit_retry_after_ms", where: { keyword: "a busy picture" } });
  await world.strike({ match: CHAT, scenario: "truncated", where: { keyword: "a cut text" } });
  const keywords = ["moss", "a busy picture", "a cut text", "a forbidden subject", "fern"];
  const { groupId } = await world.start(maker, keywords, { quality: "high" });
  const { wire } = await runAll(maker, groupId);
  expect(wire.tasks.map(({ keyword, status }) => [keyword, status])).toEqual([
    ["moss", "SUCCESS"],
    ["a busy picture", "SUCCESS"],
    ["a cut text", "SUCCESS"],
    ["a forbidden subject", "FAILURE"],
    ["fern", "SUCCESS"],
  ]);
  expect(wire).toMatchObject({ completed_tasks: 5, progress_percentage: 100, stage_counts: { failed: 1 } });
  expect(await world.buckets(maker)).toEqual([0, 17, 0]);
});

test("a run whose task another call draws for waits in rounds, and no picture is paid for twice", async () => {
  const maker = await world.makeMaker();
  const { groupId } = await world.start(maker, ["in line"], { quality: "high" });
  const [task] = await world.tasksOf(groupId);
  const leasedUntil = sql`clock_timestamp() + interval '5 s'`;
  const lease = async () =>
    maker.ctx.db.insert(drawingPlaces).values({
      reference: task?.id ?? "",
      userId: maker.userId,
      waiter: "another call",
      askedAt: new Date(),
      presentUntil: leasedUntil,
      leasedUntil,
      isDrawing: true,
    });
  const before = await world.calls(IMAGES);
  const { runs, wire } = await runAll(maker, groupId, lease);
  expect(wire.tasks[0]).toMatchObject({ status: "SUCCESS" });
  expect((await world.calls(IMAGES)) - before).toBe(1);
  const steps = runs[0]?.steps.map(({ name }) => name);
  expect(steps).toContain("draw-image-1");
});

test("what nobody foresaw ends in a failed pin with its credits back", async () => {
  const maker = await world.makeMaker();
  const { groupId } = await world.start(maker, ["a full disk"], { quality: "high" });
  const { put } = world.house.ports.storage;
  world.house.ports.storage.put = () => Promise.reject(new Error("ENOSPC: no space left on device"));
  try {
    const { wire } = await runAll(maker, groupId);
    expect(wire.tasks[0]).toMatchObject({
      status: "FAILURE",
      reason: "Something went wrong on our side while making this pin.",
    });
    expect(await world.buckets(maker)).toEqual([5, 0, 0]);
  } finally {
    world.house.ports.storage.put = put;
  }
});
