import { asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MAX_EXTRA_TASKS, MIN_TASKS_PER_USER, TASKS_PER_SLOT } from "#lib/features/generation/constants.ts";
import { writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { cancelGeneration } from "#lib/features/generation/groups.ts";
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

/** A context whose next transaction stays open after its work until `commit` is called. */
const openTransaction = (ctx: FullCtx) => {
  const [worked, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction: FullCtx["db"]["transaction"] = (work, config) =>
    ctx.db.transaction(async (tx) => {
      const result = await work(tx);
      worked.resolve();
      await committed.promise;
      return result;
    }, config);
  const get = (db: FullCtx["db"], name: string) => (name === "transaction" ? transaction : Reflect.get(db, name));
  const db = new Proxy(ctx.db, { get: (target, name) => get(target, String(name)) });
  return { ctx: { ...ctx, db }, worked: worked.promise, commit: () => committed.resolve() };
};

test("a dispatch locks only the tasks that it starts", async () => {
  const [early, late] = [await setup.insertCreator(20), await setup.insertCreator(20)];
  const first = await startWaiting(early, 4, 1);
  const second = await startWaiting(late, 4, 1);
  const [ended] = await setup.tasksOf(first.groupId);
  await failTask(setup.withSlots(1), { taskId: ended?.id ?? "" });
  const held = openTransaction(setup.withSlots(1));
  const dispatching = dispatchTasks(held.ctx);
  await held.worked;
  const { groupId, position, calledAt } = generationTasks;
  const free = await setup
    .job()
    .db.select({ groupId, position })
    .from(generationTasks)
    .where(isNull(calledAt))
    .orderBy(asc(generationTasks.createdAt), asc(position))
    .for("no key update", { skipLocked: true });
  held.commit();
  await dispatching;
  expect(free).toEqual([
    { groupId: first.groupId, position: 3 },
    { groupId: second.groupId, position: 2 },
    { groupId: second.groupId, position: 3 },
  ]);
  expect(await calledOf(first.groupId)).toEqual([0, 1, 2]);
});

test("a task that is being canceled is neither dispatched nor waited for", async () => {
  const creator = await setup.insertCreator(20);
  const { groupId } = await startWaiting(creator, 3, 1);
  const [ended] = await setup.tasksOf(groupId);
  const one = setup.withSlots(1);
  await failTask(one, { taskId: ended?.id ?? "" });
  const held = openTransaction({ ...creator.ctx, settings: one.settings });
  const canceling = cancelGeneration(held.ctx, { groupId });
  await held.worked;
  expect(await dispatchTasks(one)).toEqual([]);
  held.commit();
  expect(await canceling).toMatchObject({ revokedTasks: 2 });
  expect(await dispatchTasks(one)).toEqual([]);
  expect(await calledOf(groupId)).toEqual([0, 1]);
});

test("with many users, the tasks with the fewest turns start first, in the order of their creation", async () => {
  const slots = 4;
  const { db } = setup.job();
  for (let n = 0; n < 12; n += 1) await startWaiting(await makeQuickly(), 1 + ((n * 7) % 5), 1);
  const tasks = await db
    .select()
    .from(generationTasks)
    .orderBy(asc(generationTasks.createdAt), asc(generationTasks.id));
  const ofUsers = [...Map.groupBy(tasks, ({ userId }) => userId).values()];
  const isActive = (index: number, position: number) => index % 3 === 0 && position === 0;
  const waiting = ofUsers.flatMap((own, index) => {
    const active = own.filter(({ position }) => isActive(index, position)).length;
    return own
      .filter(({ position }) => !isActive(index, position))
      .toSorted((a, b) => a.position - b.position)
      .map((task, at) => ({ ...task, turn: active + at + 1 }));
  });
  const ids = waiting.map(({ id }) => id);
  await db.update(generationTasks).set({ calledAt: sql`now()` });
  await db.update(generationTasks).set({ calledAt: null }).where(inArray(generationTasks.id, ids));
  const [limit, active] = [TASKS_PER_SLOT * slots, tasks.length - ids.length];
  const keyOf = ({ turn, createdAt, position, id }: (typeof waiting)[number]) =>
    [turn, createdAt.toISOString(), position, id].join();
  const expected = waiting
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter(({ turn }, index) => {
      const place = active + index + 1;
      return place <= limit || (turn <= MIN_TASKS_PER_USER && place <= limit + MAX_EXTRA_TASKS);
    });
  expect(await dispatchTasks(setup.withSlots(slots))).toEqual(expected.map(({ id }) => id));
  expect(await dispatchTasks(setup.withSlots(slots))).toEqual([]);
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
