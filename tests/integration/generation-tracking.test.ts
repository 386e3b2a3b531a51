import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { clientOf } from "#db/client.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, trackGeneration } from "#lib/features/generation/groups.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { startTask } from "#lib/features/generation/tasks.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const track = async ({ ctx }: Creator, groupId: string) => toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);

describe("R-TRK-13, R-TRK-14: the response", () => {
  test("R-ENT-09, A-29: has exactly the documented keys, with one count per stage code in lower case and `failed`", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, [], { rows: [{ keyword: "moss", url: "https://a.example/" }] });
    const wire = await track(creator, groupId);
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

  test("R-TRK-12: each result shows as soon as it exists, in any order", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["words first", "picture first"], { quality: "high" });
    const [first, second] = await setup.tasksOf(groupId);
    await writeTaskCopy(setup.job(), { taskId: first?.id ?? "", attempt: 0 });
    await generateTaskImage(setup.job(), { taskId: second?.id ?? "", attempt: 0 });
    const { tasks, stage_counts, progress_percentage } = await track(creator, groupId);
    expect(
      tasks.map(({ stage, hasTitle, hasDescription, hasImage }) => [stage, hasTitle, hasDescription, hasImage]),
    ).toEqual([
      ["GENERATING_IMAGE", true, true, false],
      ["GENERATING_TITLE", false, false, true],
    ]);
    expect(tasks[0]?.title).toBeTruthy();
    expect(tasks[1]?.image_url).toMatch(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/pins\/[0-9a-f]{40}\.jpg$/);
    expect(stage_counts).toMatchObject({ generating_image: 1, generating_title: 1 });
    expect(progress_percentage).toBe(50);
  });

  test("R-TRK-04: complete when all have finished", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["moss", "fern"]);
    for (const { id } of await setup.tasksOf(groupId)) await setup.drive(id);
    expect(await track(creator, groupId)).toMatchObject({
      total_tasks: 2,
      completed_tasks: 2,
      progress_percentage: 100,
      estimated_time_remaining: null,
    });
  });
});

describe("R-TRK-07, A-32: the estimate is made from what was measured", () => {
  /** Stores tasks with measured image times. */
  const measured = async (quality: "high" | "standard", seconds: number[], hoursAgo = 0) => {
    const creator = await setup.insertCreator(2 * seconds.length);
    const { groupId } = await setup.start(creator, [...seconds.keys()].map(String), { quality });
    const finishedAt = addMs(new Date(), -hoursAgo * HOUR_MS);
    for (const [position, { id }] of (await setup.tasksOf(groupId)).entries()) {
      const drawn = { status: "SUCCESS" as const, imageMs: (seconds[position] ?? 0) * 1_000, finishedAt };
      await creator.ctx.db.update(generationTasks).set(drawn).where(eq(generationTasks.id, id));
      await settleReservation(creator.ctx, { reference: id, outcome: "spend" });
    }
    await creator.ctx.db.update(generationGroups).set({ finishedAt }).where(eq(generationGroups.id, groupId));
  };
  const remaining = async (creator: Creator, groupId: string, slots: number) => {
    const ctx = { ...creator.ctx, settings: setup.withSlots(slots).settings };
    return toTrackingWire(await trackGeneration(ctx, { groupId }), ctx).estimated_time_remaining;
  };

  beforeEach(async () => {
    await setup.job().db.delete(generationGroups);
  });

  test("uses the median of this quality, without images older than a day", async () => {
    const creator = await setup.insertCreator(10);
    const high = await setup.start(creator, ["high"], { quality: "high" });
    const standard = await setup.start(creator, ["standard"]);
    expect([await remaining(creator, high.groupId, 8), await remaining(creator, standard.groupId, 8)]).toEqual([
      60, 50,
    ]);
    await measured("high", [20, 30, 200]);
    await measured("high", [400, 400, 400, 400, 400], 25);
    await measured("standard", [10, 20]);
    expect([await remaining(creator, high.groupId, 8), await remaining(creator, standard.groupId, 8)]).toEqual([
      30, 15,
    ]);
  });

  test("does not depend on the process's clock, only on the database's", async () => {
    const creator = await setup.insertCreator(10);
    const { groupId } = await setup.start(creator, ["moss"], { quality: "high" });
    const [task] = await setup.tasksOf(groupId);
    await startTask(setup.job(), task?.id ?? "");
    setup.harness.skewClock(HOUR_MS);
    try {
      expect(await remaining(creator, groupId, 8)).toBeGreaterThan(30);
    } finally {
      setup.harness.skewClock(-HOUR_MS);
    }
  });

  test("includes the user's earlier pins and other users' fair share", async () => {
    await measured("high", [20]);
    const [creator, other] = [await setup.insertCreator(20), await setup.insertCreator(20)];
    const first = await setup.start(creator, ["1", "2"], { quality: "high" });
    const second = await setup.start(creator, ["3", "4"], { quality: "high" });
    expect([await remaining(creator, first.groupId, 1), await remaining(creator, second.groupId, 1)]).toEqual([40, 80]);
    await setup.start(other, ["5", "6", "7"], { quality: "high" });
    expect([await remaining(creator, first.groupId, 1), await remaining(creator, second.groupId, 1)]).toEqual([
      80, 140,
    ]);
    await cancelGeneration(creator.ctx, { groupId: first.groupId });
    expect(await remaining(creator, first.groupId, 1)).toBeNull();
  });
});

test("R-TRK-03: one query for a hundred tasks as for one, in start order (A-33)", async () => {
  const creator = await setup.insertCreator(100);
  const keywords = Array.from({ length: 100 }, (_, index) => `keyword ${index}`);
  const { groupId } = await setup.start(creator, keywords);
  let questions = 0;
  const client = clientOf(creator.ctx.db);
  const unsafe: typeof client.unsafe = (...statement) => {
    questions += 1;
    return client.unsafe?.(...statement) ?? expect.unreachable();
  };
  // Statements that were built before run on the client; others are built by one of these methods.
  const db = new Proxy(creator.ctx.db, {
    get: (target, name, receiver) => {
      if (name === "_") return { ...target._, session: { client: { ...client, unsafe } } };
      if (name === "select" || name === "execute" || name === "query") questions += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const { tasks } = await trackGeneration({ ...creator.ctx, db }, { groupId });
  expect(questions).toBe(1);
  expect(tasks.map(({ keyword }) => keyword)).toEqual(keywords);
});

test("R-TRK-16, R-API-31: another user's, a missing and a malformed group are not found", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const { groupId } = await setup.start(creator, ["moss"]);
  for (const id of [groupId, other.ctx.newId("group"), "grp_' or 1=1", ""]) {
    await expect(track(other, id)).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await track(creator, groupId)).toMatchObject({ total_tasks: 1 });
});
