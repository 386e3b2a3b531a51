import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { cancelGeneration, trackGeneration } from "#lib/features/generation/groups.ts";
import { findRunningGroup } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { failTask, finishTask, startTask } from "#lib/features/generation/tasks.ts";
import { CHAT, type Creator, generationSetup, IMAGES } from "./generation-harness.ts";

const setup = generationSetup();

afterEach(async () => {
  await setup.job().db.delete(generationGroups);
});

const startFour = async () => {
  const creator = await setup.insertCreator();
  const { groupId } = await setup.start(creator, ["one", "two", "three", "four"]);
  const ids = (await setup.tasksOf(groupId)).map(({ id }) => id);
  return { creator, groupId, ids };
};

const track = async ({ ctx }: Creator, groupId: string) => toTrackingWire(await trackGeneration(ctx, { groupId }), ctx);

test("R-SRV-01, A-28, A-29, A-30: tasks that have not started are revoked with their credits returned, the rest is finished", async () => {
  const { creator, groupId, ids } = await startFour();
  const [first = ""] = ids;
  await writeTaskCopy(setup.job(), { taskId: first, attempt: 0 });
  expect(await cancelGeneration(creator.ctx, { groupId })).toEqual({
    revokedTasks: 3,
    returnedCredits: 3,
    continuingTasks: 1,
  });
  expect(await setup.buckets(creator)).toEqual([4, 0, 1]);
  const wire = await track(creator, groupId);
  expect(wire.tasks.map(({ status, stage }) => [status, stage])).toEqual([
    ["STARTED", "GENERATING_IMAGE"],
    ["REVOKED", "REVOKED"],
    ["REVOKED", "REVOKED"],
    ["REVOKED", "REVOKED"],
  ]);
  expect(wire).toMatchObject({ total_tasks: 4, completed_tasks: 3, stage_counts: { revoked: 3, failed: 0 } });
  await setup.drive(first);
  expect(await track(creator, groupId)).toMatchObject({
    completed_tasks: 4,
    progress_percentage: 100,
    estimated_time_remaining: null,
    stage_counts: { success: 1, revoked: 3 },
  });
  expect(await creator.ctx.db.$count(pins, eq(pins.userId, creator.userId))).toBe(1);
  expect(await setup.buckets(creator)).toEqual([4, 0, 0]);
  expect(await findRunningGroup(creator.ctx)).toBeNull();
});

test("R-SRV-01: concurrent cancellations return the credits once; a group of only revoked tasks is finished", async () => {
  const { creator, groupId } = await startFour();
  const answers = await Promise.all(Array.from({ length: 6 }, () => cancelGeneration(creator.ctx, { groupId })));
  expect(answers.map(({ revokedTasks }) => revokedTasks).toSorted()).toEqual([0, 0, 0, 0, 0, 4]);
  expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
  expect(await findRunningGroup(creator.ctx)).toBeNull();
});

test("no model is called for a revoked task, even if its event still arrives", async () => {
  const { creator, groupId, ids } = await startFour();
  await cancelGeneration(creator.ctx, { groupId });
  const before = [await setup.calls(CHAT), await setup.calls(IMAGES)];
  const [taskId = ""] = ids;
  expect(await writeTaskCopy(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
  expect(await generateTaskImage(setup.job(), { taskId, attempt: 0 })).toEqual({ kind: "finished" });
  expect(await finishTask(setup.job(), { taskId })).toEqual({ kind: "already_finished" });
  expect(await failTask(setup.job(), { taskId })).toEqual({ kind: "already_finished" });
  const sent = setup.harness.sentEvents.length;
  await setup.harness.later(86_400_000, () => sweepTasks(setup.job()));
  expect(setup.harness.sentEvents).toHaveLength(sent);
  expect([await setup.calls(CHAT), await setup.calls(IMAGES)]).toEqual(before);
  expect(await setup.task(taskId)).toMatchObject({ status: "REVOKED", reason: null });
});

test("canceling while tasks start, fail or are swept: each task ends one way, and each credit is returned once", async () => {
  await setup.midMonth();
  const creator = await setup.insertCreator(60);
  const { groupId } = await setup.start(
    creator,
    Array.from({ length: 40 }, (_, index) => `race ${index}`),
  );
  const ids = (await setup.tasksOf(groupId)).map(({ id }) => id);
  const [canceled, begun] = await Promise.all([
    cancelGeneration(creator.ctx, { groupId }),
    Promise.all(ids.slice(0, 20).map((id) => startTask(setup.job(), id))),
    Promise.all(ids.slice(20, 30).map((taskId) => failTask(setup.job(), { taskId }))),
    setup.harness.later(3_600_000, () => sweepTasks(setup.job())),
  ]);
  const tasks = await setup.tasksOf(groupId);
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  expect(count("REVOKED")).toBe(canceled.revokedTasks);
  expect(count("STARTED")).toBe(begun.filter((task) => task !== null).length);
  expect(count("REVOKED") + count("STARTED") + count("FAILURE")).toBe(40);
  const [allowance, purchased, held] = await setup.buckets(creator);
  expect([allowance + purchased, held]).toEqual([65 - count("STARTED"), count("STARTED")]);
});

test("R-TRK-16, R-API-31: another user's, a missing and a malformed group are not found, and nothing changes", async () => {
  const { creator, groupId } = await startFour();
  const other = await setup.insertCreator();
  for (const id of [groupId, other.ctx.newId("group"), "grp_' or 1=1"]) {
    await expect(cancelGeneration(other.ctx, { groupId: id })).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await setup.buckets(creator)).toEqual([1, 0, 4]);
});
