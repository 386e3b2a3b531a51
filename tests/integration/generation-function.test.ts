import { afterEach, beforeEach, expect, test } from "vitest";
import { generatePin } from "#inngest/functions/generate-pin.ts";
import type { House } from "#lib/composition.ts";
import { toTrackingWire } from "#lib/features/generation/present.ts";
import { trackGeneration } from "#lib/features/generation/track-generation.ts";
import { startHouse, untilEnded } from "./executor-house.ts";
import { CHAT, generationWorld, IMAGES, type Maker } from "./generation-house.ts";

const world = generationWorld();

// Durable functions take the house of their process; here that is the test's.
const PLACE = Symbol.for("app.house");
const processPlace: typeof globalThis & { [PLACE]?: House } = globalThis;

beforeEach(() => {
  processPlace[PLACE] = world.house;
});
afterEach(() => {
  delete processPlace[PLACE];
});

/** Runs the real function under the real executor for what the world's starts have asked for. */
const runAll = async (maker: Maker, groupId: string) => {
  const executor = await startHouse(world.databaseUrl, () => [generatePin]);
  const taskIds = (await world.tasksOf(groupId)).map(({ id }) => id);
  const events = world.house.sentEvents.filter(
    ({ data }) => "taskId" in data && taskIds.some((id) => id === data.taskId),
  );
  await executor.app.client.send(events.map((event) => ({ ...event })));
  const runs = await untilEnded(executor.url, "generate-pin", taskIds.length, 20_000);
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
}, 40_000);

test("waiting for a place to draw is no try, and no picture is paid for twice", async () => {
  const maker = await world.makeMaker();
  const { groupId } = await world.start(maker, ["in line"], { quality: "high" });
  const { drawPin } = world.house.ports.ai;
  let asked = 0;
  world.house.ports.ai.drawPin = async (input) => {
    asked += 1;
    return asked === 1 ? { kind: "no_place" } : drawPin(input);
  };
  try {
    const before = await world.calls(IMAGES);
    const { wire } = await runAll(maker, groupId);
    expect(wire.tasks[0]).toMatchObject({ status: "SUCCESS" });
    expect([asked, (await world.calls(IMAGES)) - before]).toEqual([2, 1]);
  } finally {
    world.house.ports.ai.drawPin = drawPin;
  }
}, 40_000);

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
}, 60_000);
