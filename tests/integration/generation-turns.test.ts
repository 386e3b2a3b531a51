import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import type { UserId } from "#lib/core/ids.ts";
import { SEATS_EXTRA } from "#lib/features/generation/constants.ts";
import { writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { callUpTasks, requestTasks, wakeTasks } from "#lib/features/generation/task-queue.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { failTask, giveUpTask } from "#lib/features/generation/tasks.ts";
import { CHAT, generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

afterEach(async () => {
  // Seats are counted over all users: what a test leaves open would sit in the next one's.
  await world.job().db.delete(generationGroups);
});

const keywords = (count: number) => Array.from({ length: count }, (_, index) => `keyword ${index}`);

/** A group whose tasks all wait: the house of the test has no seats at its start. */
const startWaiting = async (maker: Maker, count: number, places: number) => {
  const settings = { ...maker.ctx.settings, imageConcurrency: places };
  return world.start({ ...maker, ctx: { ...maker.ctx, settings } }, keywords(count));
};

const calledOf = async (groupId: string): Promise<number[]> =>
  (await world.tasksOf(groupId)).flatMap(({ calledAt, position }) => (calledAt ? [position] : []));

const eventsOf = async (groupId: string): Promise<number> => {
  const ids = new Set<string>((await world.tasksOf(groupId)).map(({ id }) => id));
  return world.house.sentEvents.filter(({ data }) => "taskId" in data && ids.has(data.taskId)).length;
};

test("DESIGN §5.2: a task gets its event when its turn comes: two for each place, in start order", async () => {
  const maker = await world.makeMaker(20);
  const { groupId } = await startWaiting(maker, 9, 2);
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3], 4]);
  const [, second] = await world.tasksOf(groupId);
  await world.driveIn(world.withPlaces(2), second?.id ?? "");
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3, 4], 5]);
});

test("a user who comes later is not kept waiting: the first two are called at once, the rest fairly", async () => {
  const [early, late] = [await world.makeMaker(20), await world.makeMaker(20)];
  const first = await startWaiting(early, 12, 3);
  const second = await startWaiting(late, 6, 3);
  expect([await calledOf(first.groupId), await calledOf(second.groupId)]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 1],
  ]);
  const ctx = world.withPlaces(3);
  for (const { id } of (await world.tasksOf(first.groupId)).slice(0, 3)) await failTask(ctx, { taskId: id });
  await callUpTasks(ctx);
  // Three seats came free of eight; six are the limit, and the late user has fewer.
  expect([await calledOf(first.groupId), await calledOf(second.groupId)]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 1, 2],
  ]);
});

test("seats by right have an end", async () => {
  const makers = await Promise.all(Array.from({ length: 15 }, () => makeQuickly()));
  for (const maker of makers) await startWaiting(maker, 2, 1);
  const called = await world.job().db.$count(generationTasks, eq(generationTasks.sweeps, 0));
  const seated = (await Promise.all(makers.map(async ({ userId }) => seatedOf(userId)))).flat();
  expect(called).toBe(30);
  expect(seated).toHaveLength(2 + SEATS_EXTRA);
});

/** A maker without the cost of a password. */
const makeQuickly = async (): Promise<Maker> => {
  const { newId, now, db } = world.job();
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
  return { ctx: { ...world.job(), actor }, userId, accountId };
};

const seatedOf = async (userId: UserId) => {
  const rows = await world.job().db.select().from(generationTasks).where(eq(generationTasks.userId, userId));
  return rows.filter(({ calledAt }) => calledAt !== null);
};

test("callers at the same moment do not fill a seat twice, and send each event once", async () => {
  const maker = await world.makeMaker(30);
  const { groupId } = await startWaiting(maker, 30, 1);
  const before = await eventsOf(groupId);
  const wide = world.withPlaces(5);
  const called = await Promise.all(Array.from({ length: 6 }, () => callUpTasks(wide)));
  expect(called.flat()).toHaveLength(10 - before);
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 10]);
});

test("DESIGN §5.6: the sweep calls up for whoever died before; what waits is never taken for silent", async () => {
  const maker = await world.makeMaker(10);
  const { groupId } = await startWaiting(maker, 5, 1);
  const one = world.withPlaces(1);
  const [first] = await world.tasksOf(groupId);
  await world.house.later(5 * 3_600_000, async () => {
    await failTask(one, { taskId: first?.id ?? "" });
    await sweepTasks(one);
  });
  const tasks = await world.tasksOf(groupId);
  expect(await calledOf(groupId)).toEqual([0, 1, 2]);
  expect(tasks.slice(2).map(({ status, sweeps }) => [status, sweeps])).toEqual([
    ["PENDING", 0],
    ["PENDING", 0],
    ["PENDING", 0],
  ]);
});

test("DESIGN §5.2: the seat of a task that is given up, or fails for its words, is taken at once", async () => {
  const maker = await world.makeMaker(10);
  const one = world.withPlaces(1);
  const settings = { ...maker.ctx.settings, imageConcurrency: 1 };
  const words = ["unspeakable", "moss", "fern", "ivy"];
  await world.strike({ match: CHAT, scenario: "refusal", where: { keyword: "unspeakable" } });
  const { groupId } = await world.start({ ...maker, ctx: { ...maker.ctx, settings } }, words);
  const [refused, stuck] = await world.tasksOf(groupId);
  expect(await writeTaskCopy(one, { taskId: refused?.id ?? "", attempt: 0 })).toEqual({ kind: "failed" });
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2], 3]);
  await giveUpTask(one, { taskId: stuck?.id ?? "" });
  expect([await calledOf(groupId), await eventsOf(groupId)]).toEqual([[0, 1, 2, 3], 4]);
});

test("R-SRV-03 a restored copy's tasks are asked for under new ids, and none is given up for what was before", async () => {
  const maker = await world.makeMaker(10);
  const { groupId } = await startWaiting(maker, 3, 1);
  const [first] = await world.tasksOf(groupId);
  await requestTasks(world.job(), { taskIds: [first?.id ?? ""], sweep: 2 });
  // Who was slower than the sweep does not lower it.
  await requestTasks(world.job(), { taskIds: [first?.id ?? ""], sweep: 0 });
  expect((await world.task(first?.id ?? "")).sweeps).toBe(2);
  const before = world.house.sentEvents.length;
  expect(await wakeTasks(world.job())).toBe(3);
  // The copy runs with more places: its third task is called up by the same sweep that wakes the others.
  await world.house.later(1_000, () => sweepTasks(world.withPlaces(2)));
  const [, , third] = await world.tasksOf(groupId);
  const ids = world.house.sentEvents.slice(before).map(({ id }) => id);
  expect(ids.filter((id) => /:\d{6,}$/.test(id))).toHaveLength(3);
  expect(ids.filter((id) => id.startsWith(`generate:${third?.id}:`))).toHaveLength(1);
  expect((await world.tasksOf(groupId)).map(({ status }) => status)).toEqual(["PENDING", "PENDING", "PENDING"]);
});
