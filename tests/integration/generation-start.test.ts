import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import type { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { SWEEP_MAX, SWEEPS_PER_RESTORE } from "#lib/features/generation/constants.ts";
import { writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { findVariationNumber } from "#lib/features/generation/images.ts";
import { findLastVariants, findRunningGroup } from "#lib/features/generation/queries.ts";
import { toStartWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { settleProblem, startTask } from "#lib/features/generation/tasks.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ keyword: `keyword ${index}`, url: null }));

const startMany = ({ ctx, accountId }: Creator, count: number, quality: "high" | "standard" = "standard") =>
  startGeneration(ctx, { accountId, boardId: "12345", quality, rows: rowsOf(count) });

const codeOf = (starting: Promise<unknown>) => starting.then(String, (error: AppError) => error.code);

const eventsOf = (taskIds: readonly string[]) =>
  setup.harness.sentEvents.filter(({ data }) => "taskId" in data && taskIds.includes(data.taskId)).map(({ id }) => id);

describe("starting", () => {
  test("R-AIC-08, A-27: group, tasks, reserved credits, and one event per task with its own id", async () => {
    const creator = await setup.insertCreator();
    const started = await startMany(creator, 3);
    expect(started).toMatchObject({ kind: "started", totalTasks: 3, warning: null });
    const tasks = await setup.tasksOf(started.kind === "started" ? started.groupId : "");
    expect(tasks.map(({ keyword, status, position }) => [keyword, status, position])).toEqual([
      ["keyword 0", "PENDING", 0],
      ["keyword 1", "PENDING", 1],
      ["keyword 2", "PENDING", 2],
    ]);
    expect(eventsOf(tasks.map(({ id }) => id))).toEqual(tasks.map(({ id }) => `generate:${id}`));
    expect(await setup.buckets(creator)).toEqual([2, 0, 3]);
  });

  test.each([2, 5])("one request that arrives twice at the same time starts %d pins once", async (count) => {
    const creator = await setup.insertCreator();
    const { ctx, accountId } = creator;
    const input = { accountId, boardId: "12345", quality: "standard" as const, rows: rowsOf(count) };
    const [first, ...others] = await Promise.all(["a", "a", "a"].map((key) => startGeneration(ctx, input, key)));
    expect(first).toMatchObject({ kind: "started", totalTasks: count });
    expect(others).toEqual([first, first]);
    expect(await setup.buckets(creator)).toEqual([5 - count, 0, count]);
  });

  test("R-SRV-02, R-AIC-12: credits for k of n start k, in order, and say how many were left out", async () => {
    const creator = await setup.insertCreator();
    const started = await startMany(creator, 4, "high");
    const wire = toStartWire(started);
    expect(wire).toEqual({
      total_tasks: 2,
      group_id: expect.stringMatching(/^grp_/),
      warning: "You have enough credits for 2 of 4 pins, so 2 keywords were left out.",
    });
    expect((await setup.tasksOf(wire.group_id ?? "")).map(({ keyword }) => keyword)).toEqual([
      "keyword 0",
      "keyword 1",
    ]);
    expect(await setup.buckets(creator)).toEqual([1, 0, 4]);
  });

  test("several pins per keyword cost a credit each, and differ in text and image", async () => {
    const creator = await setup.insertCreator();
    const rows = [{ keyword: "slow bread", url: null }, ...rowsOf(1)];
    const { accountId } = creator;
    const started = await startGeneration(creator.ctx, {
      ...{ accountId, boardId: "12345", quality: "standard", rows, variants: 3 },
    });
    expect(started).toMatchObject({
      totalTasks: 5,
      warning: "You have enough credits for 5 of 6 pins, so 1 pin was left out.",
    });
    const tasks = await setup.tasksOf(started.kind === "started" ? started.groupId : "");
    expect(tasks.map(({ keyword, variant }) => [keyword, variant])).toEqual([
      ...[1, 2, 3].map((variant) => ["slow bread", variant]),
      ...[1, 2].map((variant) => ["keyword 0", variant]),
    ]);
    expect(await setup.buckets(creator)).toEqual([0, 0, 5]);
    const own = tasks.slice(0, 3);
    // At the same time, so that they can't see each other's titles. Images wait for slots, so each is driven by itself.
    await Promise.all(own.map(({ id }) => writeTaskCopy(setup.job(), { taskId: id, attempt: 0 })));
    const drafts = [];
    for (const { id } of own) drafts.push(await setup.drive(id));
    expect(drafts.map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    expect(new Set(drafts.map(({ title }) => title)).size).toBe(3);
    const variations = own.map((task) => findVariationNumber(setup.job(), task));
    expect(await Promise.all(variations)).toEqual([1, 2, 3]);
  });

  test("R-AIC-11: nothing affordable starts nothing and is no error", async () => {
    const creator = await setup.insertCreator();
    await startMany(creator, 5);
    const sentBefore = setup.harness.sentEvents.length;
    expect(toStartWire(await startMany(creator, 2))).toEqual({
      total_tasks: 0,
      group_id: null,
      warning: "You have 0 credits, but a pin at this quality costs 1. Nothing was generated.",
    });
    expect(setup.harness.sentEvents).toHaveLength(sentBefore);
    expect(await setup.buckets(creator)).toEqual([0, 0, 5]);
  });

  test("R-SRV-01: concurrent starts never spend the same credit", async () => {
    const creator = await setup.insertCreator(10);
    const starts = await Promise.all(Array.from({ length: 6 }, () => startMany(creator, 3, "high")));
    const totals = starts.map((one) => (one.kind === "started" ? one.totalTasks : 0));
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(7);
    expect(await setup.buckets(creator)).toEqual([0, 1, 14]);
  });

  test("R-SRV-01: committed tasks start even if the connection breaks during the dispatch", async () => {
    const creator = await setup.insertCreator();
    const { db } = setup.harness.database;
    const waiter = sql`select pid from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    const starting = await db.transaction(async (other) => {
      await other.execute(sql`select pg_advisory_xact_lock(hashtextextended('generation_seats', 0))`);
      const begun = startMany(creator, 2);
      await until(async () => (await db.execute(waiter)).length > 0, {
        deadlineMs: 30_000,
        what: "the dispatch to wait for the lock",
      });
      await db.execute(sql`select pg_terminate_backend(pid) from (${waiter}) as waiting`);
      return { answer: await begun };
    });
    expect(starting.answer).toMatchObject({ kind: "started", totalTasks: 2 });
    expect(await setup.buckets(creator)).toEqual([3, 0, 2]);
    await sweepTasks(setup.job());
    const { groupId } = starting.answer as { groupId: string };
    const ids = (await setup.tasksOf(groupId)).map(({ id }) => id);
    expect(eventsOf(ids)).toHaveLength(2);
  });

  test("A-92: a hundred keywords start at once", async () => {
    const creator = await setup.insertCreator(100);
    expect(await startMany(creator, 100)).toMatchObject({ totalTasks: 100, warning: null });
    expect(await setup.buckets(creator)).toEqual([0, 5, 100]);
  });
});

test("the number of pins per keyword of an account's last generation is known, not counting new images", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  expect(await findLastVariants(creator.ctx)).toEqual({});
  await setup.start(creator, ["first"], { variants: 2 });
  await setup.start(other, ["another"], { variants: 4 });
  await setup.harness.later(MINUTE_MS, () => setup.start(creator, ["second"]));
  expect(await findLastVariants(creator.ctx)).toEqual({ [creator.accountId]: 1 });
  expect(await findLastVariants(other.ctx)).toEqual({ [other.accountId]: 4 });
  const { groupId } = await setup.harness.later(2 * MINUTE_MS, () => setup.start(creator, ["third"], { variants: 2 }));
  expect(await findLastVariants(creator.ctx)).toEqual({ [creator.accountId]: 2 });
  const isThird = eq(generationTasks.groupId, groupId);
  const replacesPinId = sql`${generationTasks.id}`;
  await creator.ctx.db.update(generationTasks).set({ replacesPinId }).where(isThird);
  expect(await findLastVariants(creator.ctx)).toEqual({ [creator.accountId]: 1 });
});

describe("the account", () => {
  test("R-API-31: another user's, a missing, a malformed and a removed account are not found, and nothing changes", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const startWith = (accountId: string) => startMany({ ...creator, accountId }, 1);
    expect(await codeOf(startWith(other.accountId))).toBe("not_found");
    expect(await codeOf(startWith(creator.ctx.newId("account")))).toBe("not_found");
    expect(await codeOf(startWith("acc_1' or 1=1"))).toBe("not_found");
    await setStatus(creator, "removed");
    expect(await codeOf(startWith(creator.accountId))).toBe("not_found");
    expect([await setup.buckets(creator), await setup.buckets(other)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  test("a disconnected account must be reconnected", async () => {
    const creator = await setup.insertCreator();
    await setStatus(creator, "reconnect_needed");
    expect(await codeOf(startMany(creator, 1))).toBe("reconnect_needed");
  });
});

const setStatus = ({ ctx, accountId }: Creator, status: "removed" | "reconnect_needed") =>
  ctx.db.update(pinterestAccounts).set({ status }).where(eq(pinterestAccounts.id, accountId));

describe("resuming", () => {
  test("resumes the newest unfinished group of this user only", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    expect(await findRunningGroup(creator.ctx)).toBeNull();
    const first = await setup.start(creator, ["first"]);
    const second = await setup.start(creator, ["second", "and more"], { quality: "high" });
    expect(await findRunningGroup(creator.ctx)).toMatchObject({
      groupId: second.groupId,
      accountId: creator.accountId,
      quality: "high",
      totalTasks: 2,
    });
    expect(await findRunningGroup(other.ctx)).toBeNull();
    for (const { id } of await setup.tasksOf(second.groupId)) await setup.drive(id);
    expect(await findRunningGroup(creator.ctx)).toMatchObject({ groupId: first.groupId });
  });
});

describe("the sweep", () => {
  const sweepLater = (ms: number) => setup.harness.later(ms, () => sweepTasks(setup.job()));
  const onlyTask = async (groupId: string) => {
    const [task] = await setup.tasksOf(groupId);
    if (!task) throw new Error("The group has no task.");
    return task;
  };

  test("events that the engine did not accept are sent by the sweep, under new ids", async () => {
    const creator = await setup.insertCreator();
    setup.harness.failNextSend();
    const { groupId, totalTasks } = await setup.start(creator, ["moss", "fern"]);
    expect(totalTasks).toBe(2);
    const ids = (await setup.tasksOf(groupId)).map(({ id }) => id);
    expect(eventsOf(ids)).toEqual([]);
    await sweepLater(25 * SECOND_MS);
    expect(eventsOf(ids).toSorted()).toEqual(ids.map((id) => `generate:${id}:1`).toSorted());
    await sweepLater(30 * SECOND_MS);
    expect(eventsOf(ids)).toHaveLength(2);
  });

  test("a silent task is resent within a minute, later each time, then fails with its credits returned", async () => {
    await setup.midMonth();
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["moss"]);
    const { id } = await onlyTask(groupId);
    await sweepLater(40 * SECOND_MS);
    expect(eventsOf([id])).toEqual([`generate:${id}`]);
    for (const minutes of [1.2, 4, 9, 18, 35, 52]) await sweepLater(minutes * MINUTE_MS);
    const resent = [1, 2, 3, 4, 5, 6].map((n) => `generate:${id}:${n}`);
    expect(eventsOf([id])).toEqual([`generate:${id}`, ...resent]);
    expect(await setup.task(id)).toMatchObject({ status: "PENDING" });
    await sweepLater(70 * MINUTE_MS);
    expect(eventsOf([id])).toHaveLength(7);
    expect(await setup.task(id)).toMatchObject({
      status: "FAILURE",
      reason: "This pin took too long. Please try again.",
    });
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
    expect(await findRunningGroup(creator.ctx)).toBeNull();
  });

  test("R-SRV-04: a task whose provider requested an hour's wait is left alone for that hour", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["an hour"]);
    const { id } = await onlyTask(groupId);
    const problem = { kind: "later", text: "Our AI isn't available right now.", retryAfterSeconds: 3_600 } as const;
    await settleProblem(setup.job(), { taskId: id, attempt: 0, problem });
    // The run's other step waits less; the longer wait counts.
    await settleProblem(setup.job(), { taskId: id, attempt: 0, problem: { ...problem, retryAfterSeconds: 2 } });
    for (const minutes of [16, 32, 48, 59, 60.5]) await sweepLater(minutes * MINUTE_MS);
    expect(eventsOf([id])).toEqual([`generate:${id}`]);
    await sweepLater(61.5 * MINUTE_MS);
    expect(eventsOf([id])).toHaveLength(2);
  });

  test("a task that made progress is resent as soon as at first, however often it was resent before", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["lost again"]);
    const { id } = await onlyTask(groupId);
    for (const minutes of [1.2, 4, 9]) await sweepLater(minutes * MINUTE_MS);
    expect((await setup.task(id)).sweeps).toBe(3);
    expect(await writeTaskCopy(setup.job(), { taskId: id, attempt: 0 })).toEqual({ kind: "stored" });
    expect((await setup.task(id)).sweeps).toBe(SWEEPS_PER_RESTORE);
    await sweepLater(18 * MINUTE_MS);
    await sweepLater(18 * MINUTE_MS + 100 * SECOND_MS);
    const again = [1, 2].map((n) => `generate:${id}:${SWEEPS_PER_RESTORE + n}`);
    expect(eventsOf([id]).slice(4)).toEqual(again);
  });

  test("a running task is not silent", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["at work"]);
    const { id } = await onlyTask(groupId);
    for (const minutes of [14, 28, 42, 56]) {
      await setup.harness.later(minutes * MINUTE_MS, () => startTask(setup.job(), id));
      await sweepLater((minutes + 0.7) * MINUTE_MS);
    }
    expect(eventsOf([id])).toEqual([`generate:${id}`]);
  });

  test("unsent tasks are found behind any number of older running ones", async () => {
    const creator = await setup.insertCreator(SWEEP_MAX + 1);
    const { groupId } = await setup.start(creator, ["first"]);
    const { id, ...first } = await creator.ctx.db.query.generationTasks
      .findFirst({ where: (row) => eq(row.groupId, groupId) })
      .then((row) => row ?? expect.unreachable());
    const wakeAt = new Date(Date.now() + HOUR_MS);
    const many = Array.from({ length: SWEEP_MAX }, (_, index) => {
      const task = { ...first, status: "RETRY" as const, wakeAt, createdAt: new Date(0) };
      return { ...task, id: creator.ctx.newId("task"), position: index + 1 };
    });
    await creator.ctx.db.insert(generationTasks).values(many);
    setup.harness.failNextSend();
    const unsent = await onlyTask((await setup.start(creator, ["unsent"])).groupId);
    await sweepLater(25 * SECOND_MS);
    expect(eventsOf([unsent.id])).toEqual([`generate:${unsent.id}:1`]);
    expect(eventsOf([id])).toHaveLength(1);
    await creator.ctx.db.delete(generationGroups).where(eq(generationGroups.id, groupId));
  });

  test("credits reserved for a deleted task are returned", async () => {
    await setup.midMonth();
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["moss", "fern"]);
    await creator.ctx.db.delete(generationGroups).where(eq(generationGroups.id, groupId));
    expect(await setup.buckets(creator)).toEqual([3, 0, 2]);
    await sweepLater(16 * MINUTE_MS);
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
  });
});
