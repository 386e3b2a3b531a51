import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { drawTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, trackGeneration } from "#lib/features/generation/groups.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { startTask } from "#lib/features/generation/tasks.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

const track = async ({ ctx }: Maker, groupId: string) => toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);

describe("R-TRK-13, R-TRK-14: the answer", () => {
  test("R-ENT-09, A-29: has exactly the documented keys, with one count per stage code in lower case and `failed`", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, [], { rows: [{ keyword: "moss", url: "https://a.example/" }] });
    const wire = await track(maker, groupId);
    const [task] = wire.tasks;
    expect(wire).toEqual({
      total_tasks: 1,
      completed_tasks: 0,
      progress_percentage: 0,
      tasks: [
        {
          task_id: expect.stringMatching(/^tsk_/),
          id: task?.task_id,
          status: "PENDING",
          stage: "PENDING",
          keyword: "moss",
          title: null,
          description: null,
          image_url: null,
          url: "https://a.example/",
          progress_percentage: 0,
          hasTitle: false,
          hasDescription: false,
          hasImage: false,
        },
      ],
      stage_counts: {
        pending: 1,
        generating_title: 0,
        title_generated: 0,
        generating_description: 0,
        description_generated: 0,
        generating_image: 0,
        image_generated: 0,
        retry: 0,
        success: 0,
        failure: 0,
        revoked: 0,
        error: 0,
        failed: 0,
      },
      estimated_time_remaining: 50,
    });
  });

  test("R-TRK-12: each result shows as soon as it exists, in whatever order they come", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["words first", "picture first"], { quality: "high" });
    const [first, second] = await world.tasksOf(groupId);
    await writeTaskCopy(world.job(), { taskId: first?.id ?? "", attempt: 0 });
    await drawTaskImage(world.job(), { taskId: second?.id ?? "", attempt: 0 });
    const { tasks, stage_counts, progress_percentage } = await track(maker, groupId);
    expect(
      tasks.map(({ stage, hasTitle, hasDescription, hasImage }) => [stage, hasTitle, hasDescription, hasImage]),
    ).toEqual([
      ["GENERATING_IMAGE", true, true, false],
      ["GENERATING_TITLE", false, false, true],
    ]);
    expect(tasks[0]?.title).toBeTruthy();
    expect(tasks[1]?.image_url).toMatch(/^\/api\/images\/pins\/[0-9a-f]{40}\.jpg$/);
    expect(stage_counts).toMatchObject({ generating_image: 1, generating_title: 1 });
    expect(progress_percentage).toBe(50);
  });

  test("R-TRK-04: complete when all have finished", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["moss", "fern"]);
    for (const { id } of await world.tasksOf(groupId)) await world.drive(id);
    expect(await track(maker, groupId)).toMatchObject({
      total_tasks: 2,
      completed_tasks: 2,
      progress_percentage: 100,
      estimated_time_remaining: null,
    });
  });
});

describe("R-TRK-07, A-32: the estimate is made from what was measured", () => {
  /** Pins drawn in so many seconds each, so long ago. */
  const measured = async (quality: "high" | "standard", seconds: number[], hoursAgo = 0) => {
    const maker = await world.makeMaker(2 * seconds.length);
    const { groupId } = await world.start(maker, [...seconds.keys()].map(String), { quality });
    const finishedAt = addMs(new Date(), -hoursAgo * HOUR_MS);
    for (const [position, { id }] of (await world.tasksOf(groupId)).entries()) {
      const drawn = { status: "SUCCESS" as const, drawingMs: (seconds[position] ?? 0) * 1_000, finishedAt };
      await maker.ctx.db.update(generationTasks).set(drawn).where(eq(generationTasks.id, id));
      await settleReservation(maker.ctx, { reference: id, outcome: "spend" });
    }
    await maker.ctx.db.update(generationGroups).set({ finishedAt }).where(eq(generationGroups.id, groupId));
  };
  const remaining = async (maker: Maker, groupId: string, places: number) => {
    const ctx = { ...maker.ctx, settings: world.withPlaces(places).settings };
    return toTrackingWire(await trackGeneration(ctx, { groupId }), ctx).estimated_time_remaining;
  };

  beforeEach(async () => {
    await world.job().db.delete(generationGroups);
  });

  test("half of the pictures of this quality took no longer; older ones than a day do not count", async () => {
    const maker = await world.makeMaker(10);
    const high = await world.start(maker, ["high"], { quality: "high" });
    const standard = await world.start(maker, ["standard"]);
    expect([await remaining(maker, high.groupId, 8), await remaining(maker, standard.groupId, 8)]).toEqual([60, 50]);
    await measured("high", [20, 30, 200]);
    await measured("high", [400, 400, 400, 400, 400], 25);
    await measured("standard", [10, 20]);
    expect([await remaining(maker, high.groupId, 8), await remaining(maker, standard.groupId, 8)]).toEqual([30, 15]);
  });

  test("a process whose clock is wrong says the same: what remains is counted by the database's", async () => {
    const maker = await world.makeMaker(10);
    const { groupId } = await world.start(maker, ["moss"], { quality: "high" });
    const [task] = await world.tasksOf(groupId);
    await startTask(world.job(), task?.id ?? "");
    world.house.skewClock(HOUR_MS);
    try {
      expect(await remaining(maker, groupId, 8)).toBeGreaterThan(30);
    } finally {
      world.house.skewClock(-HOUR_MS);
    }
  });

  test("the line counts: one's earlier pins, and the others' share", async () => {
    await measured("high", [20]);
    const [maker, other] = [await world.makeMaker(20), await world.makeMaker(20)];
    const first = await world.start(maker, ["1", "2"], { quality: "high" });
    const second = await world.start(maker, ["3", "4"], { quality: "high" });
    expect([await remaining(maker, first.groupId, 1), await remaining(maker, second.groupId, 1)]).toEqual([40, 80]);
    await world.start(other, ["5", "6", "7"], { quality: "high" });
    expect([await remaining(maker, first.groupId, 1), await remaining(maker, second.groupId, 1)]).toEqual([80, 140]);
    await cancelGeneration(maker.ctx, { groupId: first.groupId });
    expect(await remaining(maker, first.groupId, 1)).toBeNull();
  });
});

test("R-TRK-03: one question to the database, for a hundred tasks as for one, and they come in start order (A-33)", async () => {
  const maker = await world.makeMaker(100);
  const keywords = Array.from({ length: 100 }, (_, index) => `keyword ${index}`);
  const { groupId } = await world.start(maker, keywords);
  let questions = 0;
  const db = new Proxy(maker.ctx.db, {
    get: (target, name, receiver) => {
      if (name === "select" || name === "execute" || name === "query") questions += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const { tasks } = await trackGeneration({ ...maker.ctx, db }, { groupId });
  expect(questions).toBe(1);
  expect(tasks.map(({ keyword }) => keyword)).toEqual(keywords);
});

test("R-TRK-16, R-API-31: a foreign, absent or malformed group is not found", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const { groupId } = await world.start(maker, ["moss"]);
  for (const id of [groupId, other.ctx.newId("group"), "grp_' or 1=1", ""]) {
    await expect(track(other, id)).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await track(maker, groupId)).toMatchObject({ total_tasks: 1 });
});
