import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MAX_EXTRA_TASKS } from "#lib/features/generation/constants.ts";
import { writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { dispatchTasks, requeueTasks, sendTaskEvents } from "#lib/features/generation/task-queue.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { failTask, giveUpTask } from "#lib/features/generation/tasks.ts";
import { CHAT, type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

afterEach(async () => {
  // Active tasks are counted over all users, so each test must finish its own.
  await setup.job().db.delete(generationGroups);
});

const keywords = (count: number) => Array.from({ length: count }, (_, index) => `keyword ${index}`);

/** Starts a group without image slots, so that all its tasks wait. */
const startWaiting = async (creator: Creator, count: number, slots: number) => {
  const settings = { ...creator.ctx.settings, imageConcurrency: slots };
  return setup.start({ ...creator, ctx: { ...creator.ctx, settings } }, keywords(count));
};

const calledOf = async (groupId: string): Promise<number[]> =>
  (await setup.tasksOf(groupId)).flatMap(({ calledAt, position }) => (calledAt ? [position] : []));

const eventsOf = async (groupId: string): Promise<number> => {
  const ids = new Set<string>((await setup.tasksOf(groupId)).map(({ id }) => id));
  return setup.harness.sentEvents.filter(({ data }) => "taskId" in data && ids.has(data.taskId)).length;
};

test("a task gets its event when its turn comes: two per slot, in start order", async () => {
  const creator = await setup.insertCreator(20);
  const { groupId } = await startWaiting(creator, 9, 2);
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3], 4]);
  const [, second] = await setup.tasksOf(groupId);
  await setup.driveIn(setup.withSlots(2), second?.id ?? "");
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3, 4], 5]);
});

test("a later user does not wait: the first two tasks are dispatched immediately, the rest fairly", async () => {
  const [early, late] = [await setup.insertCreator(20), await setup.insertCreator(20)];
  const first = await startWaiting(early, 12, 3);
  const second = await startWaiting(late, 6, 3);
  expect([await calledOf(first.groupId), await calledOf(second.groupId)]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 1],
  ]);
  const ctx = setup.withSlots(3);
  for (const { id } of (await setup.tasksOf(first.groupId)).slice(0, 3)) await failTask(ctx, { taskId: id });
  await dispatchTasks(ctx);
  // Three of eight tasks have ended. The limit is six, and the late user has fewer.
  expect([await calledOf(first.groupId), await calledOf(second.groupId)]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 1, 2],
  ]);
});

test("the guaranteed tasks per user are limited in total", async () => {
  const creators = await Promise.all(Array.from({ length: 15 }, () => makeQuickly()));
  for (const creator of creators) await startWaiting(creator, 2, 1);
  const called = await setup.job().db.$count(generationTasks, eq(generationTasks.sweeps, 0));
  const active = (await Promise.all(creators.map(async ({ userId }) => activeTasksOf(userId)))).flat();
  expect(called).toBe(30);
  expect(active).toHaveLength(2 + MAX_EXTRA_TASKS);
});

/** Creates a user without hashing a password. */
const makeQuickly = async (): Promise<Creator> => {
  const { newId, now, db } = setup.job();
  const [userId, accountId] = [newId("user"), newId("account")];
  const named = {
    email: userId,
    emailKey: userId,
    username: userId,
    usernameKey: userId,
    firstName: "T",
    lastName: "P",
  };
  await db.insert(users).values({ id: userId, ...named, passwordHash: "", createdAt: now() });
  const account = { id: accountId, userId, pinterestUserId: accountId, username: "moss", status: "connected" as const };
  await db.insert(pinterestAccounts).values({ ...account, connectedAt: now() });
  const actor = { kind: "user" as const, userId, loginId: newId("login"), address: "127.0.0.1" };
  return { ctx: { ...setup.job(), actor }, userId, accountId };
};

const activeTasksOf = async (userId: UserId) => {
  const rows = await setup.job().db.select().from(generationTasks).where(eq(generationTasks.userId, userId));
  return rows.filter(({ calledAt }) => calledAt !== null);
};

test("concurrent callers respect the limit and send each event once", async () => {
  const creator = await setup.insertCreator(30);
  const { groupId } = await startWaiting(creator, 30, 1);
  const before = await eventsOf(groupId);
  const wide = setup.withSlots(5);
  const called = await Promise.all(Array.from({ length: 6 }, () => dispatchTasks(wide)));
  expect(called.flat()).toHaveLength(10 - before);
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 10]);
});

test("the sweep dispatches after a crash; waiting tasks are never considered silent", async () => {
  const creator = await setup.insertCreator(10);
  const { groupId } = await startWaiting(creator, 5, 1);
  const one = setup.withSlots(1);
  const [first] = await setup.tasksOf(groupId);
  await setup.harness.later(5 * 3_600_000, async () => {
    await failTask(one, { taskId: first?.id ?? "" });
    await sweepTasks(one);
  });
  const tasks = await setup.tasksOf(groupId);
  expect(await calledOf(groupId)).toEqual([0, 1, 2]);
  expect(tasks.slice(2).map(({ status, sweeps }) => [status, sweeps])).toEqual([
    ["PENDING", 0],
    ["PENDING", 0],
    ["PENDING", 0],
  ]);
});

test("when a task fails, another one is dispatched immediately", async () => {
  const creator = await setup.insertCreator(10);
  const one = setup.withSlots(1);
  const settings = { ...creator.ctx.settings, imageConcurrency: 1 };
  const words = ["unspeakable", "moss", "fern", "ivy"];
  await setup.addFault({ match: CHAT, scenario: "refusal", where: { keyword: "unspeakable" } });
  const { groupId } = await setup.start({ ...creator, ctx: { ...creator.ctx, settings } }, words);
  const [refused, stuckTask] = await setup.tasksOf(groupId);
  expect(await writeTaskCopy(one, { taskId: refused?.id ?? "", attempt: 0 })).toEqual({ kind: "failed" });
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2], 3]);
  await giveUpTask(one, { taskId: stuckTask?.id ?? "" });
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3], 4]);
});

test("R-SRV-03 a restored copy's tasks are sent under new ids, and none fails because of earlier sweeps", async () => {
  const creator = await setup.insertCreator(10);
  const { groupId } = await startWaiting(creator, 3, 1);
  const [first] = await setup.tasksOf(groupId);
  await sendTaskEvents(setup.job(), { taskIds: [first?.id ?? ""], sweep: 2 });
  // A slower caller does not lower the counter.
  await sendTaskEvents(setup.job(), { taskIds: [first?.id ?? ""], sweep: 0 });
  expect((await setup.task(first?.id ?? "")).sweeps).toBe(2);
  const before = setup.harness.sentEvents.length;
  expect(await requeueTasks(setup.job())).toBe(3);
  // The copy has more slots, so the sweep that resends the others also dispatches its third task.
  await setup.harness.later(1_000, () => sweepTasks(setup.withSlots(2)));
  const [, , third] = await setup.tasksOf(groupId);
  const ids = setup.harness.sentEvents.slice(before).map(({ id }) => id);
  expect(ids.filter((id) => /:\d{6,}$/.test(id))).toHaveLength(3);
  expect(ids.filter((id) => id.startsWith(`generate:${third?.id}:`))).toHaveLength(1);
  expect((await setup.tasksOf(groupId)).map(({ status }) => status)).toEqual(["PENDING", "PENDING", "PENDING"]);
});
