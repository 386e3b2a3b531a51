import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { drawTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, trackGeneration } from "#lib/features/generation/groups.ts";
import { findRunningGroup } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { failTask, finishTask, startTask } from "#lib/features/generation/tasks.ts";
import { CHAT, generationWorld, IMAGES, type Maker } from "./generation-house.ts";

const world = generationWorld();

afterEach(async () => {
  await world.job().db.delete(generationGroups);
});

const startFour = async () => {
  const maker = await world.makeMaker();
  const { groupId } = await world.start(maker, ["one", "two", "three", "four"]);
  const ids = (await world.tasksOf(groupId)).map(({ id }) => id);
  return { maker, groupId, ids };
};

const track = async ({ ctx }: Maker, groupId: string) => toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);

test("DESIGN §5.2, R-SRV-01, A-28, A-29, A-30: what nobody began is revoked with its credits back, the rest is finished", async () => {
  const { maker, groupId, ids } = await startFour();
  const [first = ""] = ids;
  await writeTaskCopy(world.job(), { taskId: first, attempt: 0 });
  expect(await cancelGeneration(maker.ctx, { groupId })).toEqual({
    revokedTasks: 3,
    returnedCredits: 3,
    goingOnTasks: 1,
  });
  expect(await world.buckets(maker)).toEqual([4, 0, 1]);
  const wire = await track(maker, groupId);
  expect(wire.tasks.map(({ status, stage }) => [status, stage])).toEqual([
    ["STARTED", "GENERATING_IMAGE"],
    ["REVOKED", "REVOKED"],
    ["REVOKED", "REVOKED"],
    ["REVOKED", "REVOKED"],
  ]);
  expect(wire).toMatchObject({ total_tasks: 4, completed_tasks: 3, stage_counts: { revoked: 3, failed: 0 } });
  await world.drive(first);
  expect(await track(maker, groupId)).toMatchObject({
    completed_tasks: 4,
    progress_percentage: 100,
    estimated_time_remaining: null,
    stage_counts: { success: 1, revoked: 3 },
  });
  expect(await maker.ctx.db.$count(pins, eq(pins.userId, maker.userId))).toBe(1);
  expect(await world.buckets(maker)).toEqual([4, 0, 0]);
  expect(await findRunningGroup(maker.ctx)).toBeNull();
});

test("R-SRV-01: cancelling many times at once returns the credits once; a group of nothing but revoked tasks is over", async () => {
  const { maker, groupId } = await startFour();
  const answers = await Promise.all(Array.from({ length: 6 }, () => cancelGeneration(maker.ctx, { groupId })));
  expect(answers.map(({ revokedTasks }) => revokedTasks).toSorted()).toEqual([0, 0, 0, 0, 0, 4]);
  expect(await world.buckets(maker)).toEqual([5, 0, 0]);
  expect(await findRunningGroup(maker.ctx)).toBeNull();
});

test("no model is asked for a revoked task, whatever still comes for it", async () => {
  const { maker, groupId, ids } = await startFour();
  await cancelGeneration(maker.ctx, { groupId });
  const before = [await world.calls(CHAT), await world.calls(IMAGES)];
  const [taskId = ""] = ids;
  expect(await writeTaskCopy(world.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
  expect(await drawTaskImage(world.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
  expect(await finishTask(world.job(), { taskId })).toEqual({ kind: "already_finished" });
  expect(await failTask(world.job(), { taskId })).toEqual({ kind: "already_finished" });
  const sent = world.house.sentEvents.length;
  await world.house.later(86_400_000, () => sweepTasks(world.job()));
  expect(world.house.sentEvents).toHaveLength(sent);
  expect([await world.calls(CHAT), await world.calls(IMAGES)]).toEqual(before);
  expect(await world.task(taskId)).toMatchObject({ status: "REVOKED", reason: null });
});

test("cancelling and beginning, failing or sweeping at the same moment: each task ends one way, each credit comes back once", async () => {
  await world.midMonth();
  const maker = await world.makeMaker(60);
  const { groupId } = await world.start(
    maker,
    Array.from({ length: 40 }, (_, index) => `race ${index}`),
  );
  const ids = (await world.tasksOf(groupId)).map(({ id }) => id);
  const [cancelled, begun] = await Promise.all([
    cancelGeneration(maker.ctx, { groupId }),
    Promise.all(ids.slice(0, 20).map((id) => startTask(world.job(), id))),
    Promise.all(ids.slice(20, 30).map((taskId) => failTask(world.job(), { taskId }))),
    world.house.later(3_600_000, () => sweepTasks(world.job())),
  ]);
  const tasks = await world.tasksOf(groupId);
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  expect(count("REVOKED")).toBe(cancelled.revokedTasks);
  expect(count("STARTED")).toBe(begun.filter((task) => task !== null).length);
  expect(count("REVOKED") + count("STARTED") + count("FAILURE")).toBe(40);
  const [allowance, purchased, held] = await world.buckets(maker);
  expect([allowance + purchased, held]).toEqual([65 - count("STARTED"), count("STARTED")]);
});

test("R-TRK-16, R-API-31: a foreign, absent or malformed group is not found, and nothing changes", async () => {
  const { maker, groupId } = await startFour();
  const other = await world.makeMaker();
  for (const id of [groupId, other.ctx.newId("group"), "grp_' or 1=1"]) {
    await expect(cancelGeneration(other.ctx, { groupId: id })).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await world.buckets(maker)).toEqual([1, 0, 4]);
});
