import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { heldImages } from "#db/schema/generation.ts";
import { storageState } from "#db/schema/storage.ts";
import type { FullCtx } from "#lib/context.ts";
import { HOUR_MS } from "#lib/core/time.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { failTask, finishTask } from "#lib/features/generation/tasks.ts";
import { checkStorage } from "#lib/features/pins/storage-outages.ts";
import { createS3Storage } from "#lib/integrations/storage/s3.ts";
import { generationSetup, IMAGES } from "./generation-harness.ts";

const setup = generationSetup();

const away = () => `${setup.storageDir}-away`;

/** Like a volume that is not mounted: its folder is empty. */
const unmount = () => {
  renameSync(setup.storageDir, away());
  mkdirSync(setup.storageDir);
};

const mount = () => {
  rmSync(setup.storageDir, { recursive: true, force: true });
  renameSync(away(), setup.storageDir);
};

beforeEach(async () => {
  await setup.midMonth();
  await setup.harness.database.db.delete(storageState);
  await checkStorage(setup.job());
});

afterEach(() => {
  if (existsSync(away())) mount();
});

const generate = (taskId: string, ctx: FullCtx = setup.job()) => generateTaskImage(ctx, { taskId, attempt: 0 });

const heldOf = (taskId: string) => setup.job().db.$count(heldImages, eq(heldImages.taskId, taskId));

const resume = async (ctx: FullCtx): Promise<string[]> => {
  const before = setup.harness.sentEvents.length;
  await sweepTasks(ctx);
  return setup.harness.sentEvents.slice(before).map(({ id }) => id);
};

/** A model whose answer comes after `during`. */
const answeringAfter = (during: () => void): FullCtx => {
  const ctx = setup.job();
  const generateImage: FullCtx["ai"]["generateImage"] = async (request) => {
    const outcome = await ctx.ai.generateImage(request);
    during();
    return outcome;
  };
  return { ...ctx, ai: { ...ctx.ai, generateImage } };
};

test("R-SRV-03 generating waits for hours while the image folder is missing, pays for nothing, and resumes at a pace", async () => {
  const creator = await setup.insertCreator();
  const ctx = setup.withSlots(1);
  const { groupId } = await setup.start(creator, ["moss", "fern", "ivy", "reed"]);
  const tasks = await setup.tasksOf(groupId);
  const firstIds = setup.harness.sentEvents.map(({ id }) => id);
  unmount();
  const before = await setup.calls(IMAGES);
  for (const { id } of tasks) expect(await generate(id)).toEqual({ kind: "storage_down" });
  for (let hour = 0; hour < 5; hour += 1) {
    await setup.harness.moveClock(HOUR_MS);
    await checkStorage(ctx);
    expect(await resume(ctx)).toEqual([]);
  }
  for (const { id } of tasks) expect(await setup.task(id)).toMatchObject({ finishedAt: null, calledAt: null });
  expect((await setup.calls(IMAGES)) - before).toBe(0);
  expect(await setup.buckets(creator)).toEqual([1, 0, 4]);
  mount();
  await checkStorage(ctx);
  const started = await resume(ctx);
  expect(started).toHaveLength(2);
  expect(started.filter((id) => firstIds.includes(id))).toEqual([]);
  for (const { id } of tasks) expect(await setup.drive(id)).toMatchObject({ status: "SUCCESS" });
  expect(await setup.buckets(creator)).toEqual([1, 0, 0]);
  await setup.harness.moveClock(-5 * HOUR_MS);
});

test("R-SRV-03 an image that is finished when the storage goes away is kept, and not generated again", async () => {
  const creator = await setup.insertCreator();
  const { groupId } = await setup.start(creator, ["moss"]);
  const [{ id: taskId } = { id: "" }] = await setup.tasksOf(groupId);
  const before = await setup.calls(IMAGES);
  expect(await generate(taskId, answeringAfter(unmount))).toEqual({ kind: "storage_down" });
  expect(await heldOf(taskId)).toBe(1);
  expect(await generate(taskId)).toEqual({ kind: "storage_down" });
  mount();
  await checkStorage(setup.job());
  expect(await setup.drive(taskId)).toMatchObject({ status: "SUCCESS" });
  expect((await setup.calls(IMAGES)) - before).toBe(1);
  expect(await heldOf(taskId)).toBe(0);
});

test("R-SRV-03 a task that fails meanwhile leaves no image behind", async () => {
  const creator = await setup.insertCreator();
  const { groupId } = await setup.start(creator, ["moss"]);
  const [{ id: taskId } = { id: "" }] = await setup.tasksOf(groupId);
  await generate(taskId, answeringAfter(unmount));
  await failTask(setup.job(), { taskId });
  expect(await heldOf(taskId)).toBe(0);
  expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
});

test("R-SRV-03 a finished pin waits as well, so that it is not stored without its image's hash", async () => {
  const creator = await setup.insertCreator();
  const { groupId } = await setup.start(creator, ["moss"]);
  const [{ id: taskId } = { id: "" }] = await setup.tasksOf(groupId);
  await writeTaskCopy(setup.job(), { taskId, attempt: 0 });
  await generate(taskId);
  const unreachable = createS3Storage({ bucket: "pins", region: "us-east-1", endpoint: "http://127.0.0.1:9" });
  expect(await finishTask({ ...setup.job(), storage: unreachable }, { taskId })).toEqual({ kind: "storage_down" });
  expect(await setup.task(taskId)).toMatchObject({ finishedAt: null, calledAt: null });
  await checkStorage(setup.job());
  expect(await resume(setup.job())).toHaveLength(1);
  expect(await finishTask(setup.job(), { taskId })).toMatchObject({ kind: "finished" });
});
