import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import type { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { SWEEP_MAX } from "#lib/features/generation/constants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { findRunningGroup } from "#lib/features/generation/queries.ts";
import { toStartWire } from "#lib/features/generation/serializers.ts";
import { sweepTasks } from "#lib/features/generation/task-recovery.ts";
import { startTask, weighProblem } from "#lib/features/generation/tasks.ts";
import { until } from "#tests/support/poll.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ keyword: `keyword ${index}`, url: null }));

const startMany = ({ ctx, accountId }: Maker, count: number, quality: "high" | "standard" = "standard") =>
  startGeneration(ctx, { accountId, boardId: "12345", quality, rows: rowsOf(count) });

const codeOf = (starting: Promise<unknown>) => starting.then(String, (error: AppError) => error.code);

const eventsOf = (taskIds: readonly string[]) =>
  world.house.sentEvents.filter(({ data }) => "taskId" in data && taskIds.includes(data.taskId)).map(({ id }) => id);

describe("starting", () => {
  test("R-AIC-08, A-27: group, tasks, held credits, and one event per task with an id of its own", async () => {
    const maker = await world.makeMaker();
    const started = await startMany(maker, 3);
    expect(started).toMatchObject({ kind: "started", totalTasks: 3, warning: null });
    const tasks = await world.tasksOf(started.kind === "started" ? started.groupId : "");
    expect(tasks.map(({ keyword, status, position }) => [keyword, status, position])).toEqual([
      ["keyword 0", "PENDING", 0],
      ["keyword 1", "PENDING", 1],
      ["keyword 2", "PENDING", 2],
    ]);
    expect(eventsOf(tasks.map(({ id }) => id))).toEqual(tasks.map(({ id }) => `generate:${id}`));
    expect(await world.buckets(maker)).toEqual([2, 0, 3]);
  });

  test("R-SRV-02, R-AIC-12: credits for k of n start k, in order, and say how many were left out", async () => {
    const maker = await world.makeMaker();
    const started = await startMany(maker, 4, "high");
    const wire = toStartWire(started);
    expect(wire).toEqual({
      total_tasks: 2,
      group_id: expect.stringMatching(/^grp_/),
      warning:
        "Your credits cover 2 of 4 pins; 2 keywords were left out (you have 5 credits, and one pin of this quality costs 2 credits).",
    });
    expect((await world.tasksOf(wire.group_id ?? "")).map(({ keyword }) => keyword)).toEqual([
      "keyword 0",
      "keyword 1",
    ]);
    expect(await world.buckets(maker)).toEqual([1, 0, 4]);
  });

  test("R-AIC-11: nothing affordable starts nothing and is no error", async () => {
    const maker = await world.makeMaker();
    await startMany(maker, 5);
    const sentBefore = world.house.sentEvents.length;
    expect(toStartWire(await startMany(maker, 2))).toEqual({
      total_tasks: 0,
      group_id: null,
      warning: "No pins were started: you have 0 credits, and one pin of this quality costs 1 credit.",
    });
    expect(world.house.sentEvents).toHaveLength(sentBefore);
    expect(await world.buckets(maker)).toEqual([0, 0, 5]);
  });

  test("R-SRV-01: starts at the same moment never spend the same credit", async () => {
    const maker = await world.makeMaker(10);
    const starts = await Promise.all(Array.from({ length: 6 }, () => startMany(maker, 3, "high")));
    const totals = starts.map((one) => (one.kind === "started" ? one.totalTasks : 0));
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(7);
    expect(await world.buckets(maker)).toEqual([0, 1, 14]);
  });

  test("R-SRV-01: what is committed is started, though the connection is cut while the tasks are called up", async () => {
    const maker = await world.makeMaker();
    const { db } = world.house.database;
    const waiter = sql`select pid from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    const starting = await db.transaction(async (other) => {
      await other.execute(sql`select pg_advisory_xact_lock(hashtextextended('generation_seats', 0))`);
      const begun = startMany(maker, 2);
      await until(async () => (await db.execute(waiter)).length > 0, { deadlineMs: 30_000, what: "the call-up" });
      await db.execute(sql`select pg_terminate_backend(pid) from (${waiter}) as waiting`);
      return { answer: await begun };
    });
    expect(starting.answer).toMatchObject({ kind: "started", totalTasks: 2 });
    expect(await world.buckets(maker)).toEqual([3, 0, 2]);
    await sweepTasks(world.job());
    const { groupId } = starting.answer as { groupId: string };
    const ids = (await world.tasksOf(groupId)).map(({ id }) => id);
    expect(eventsOf(ids)).toHaveLength(2);
  });

  test("A-92: a hundred keywords start in one go", async () => {
    const maker = await world.makeMaker(100);
    expect(await startMany(maker, 100)).toMatchObject({ totalTasks: 100, warning: null });
    expect(await world.buckets(maker)).toEqual([0, 5, 100]);
  });
});

describe("whose account", () => {
  test("R-API-31: a foreign, absent, malformed or removed account is not found, and nothing changes", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const startWith = (accountId: string) => startMany({ ...maker, accountId }, 1);
    expect(await codeOf(startWith(other.accountId))).toBe("not_found");
    expect(await codeOf(startWith(maker.ctx.newId("account")))).toBe("not_found");
    expect(await codeOf(startWith("acc_1' or 1=1"))).toBe("not_found");
    await setStatus(maker, "removed");
    expect(await codeOf(startWith(maker.accountId))).toBe("not_found");
    expect([await world.buckets(maker), await world.buckets(other)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  test("an account that must be connected again says so", async () => {
    const maker = await world.makeMaker();
    await setStatus(maker, "reconnect_needed");
    expect(await codeOf(startMany(maker, 1))).toBe("reconnect_needed");
  });
});

const setStatus = ({ ctx, accountId }: Maker, status: "removed" | "reconnect_needed") =>
  ctx.db.update(pinterestAccounts).set({ status }).where(eq(pinterestAccounts.id, accountId));

describe("resuming", () => {
  test("DESIGN §5.3: the newest group that has not finished, of this user only", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    expect(await findRunningGroup(maker.ctx)).toBeNull();
    const first = await world.start(maker, ["first"]);
    const second = await world.start(maker, ["second", "and more"], { quality: "high" });
    expect(await findRunningGroup(maker.ctx)).toEqual({ groupId: second.groupId, quality: "high", totalTasks: 2 });
    expect(await findRunningGroup(other.ctx)).toBeNull();
    for (const { id } of await world.tasksOf(second.groupId)) await world.drive(id);
    expect(await findRunningGroup(maker.ctx)).toMatchObject({ groupId: first.groupId });
  });
});

describe("DESIGN §5.6: the sweep", () => {
  const sweepLater = (ms: number) => world.house.later(ms, () => sweepTasks(world.job()));
  const onlyTask = async (groupId: string) => {
    const [task] = await world.tasksOf(groupId);
    if (!task) throw new Error("The group has no task.");
    return task;
  };

  test("events that an engine did not take are sent by the sweep, under an id of their own", async () => {
    const maker = await world.makeMaker();
    world.house.failNextSend();
    const { groupId, totalTasks } = await world.start(maker, ["moss", "fern"]);
    expect(totalTasks).toBe(2);
    const ids = (await world.tasksOf(groupId)).map(({ id }) => id);
    expect(eventsOf(ids)).toEqual([]);
    await sweepLater(25 * SECOND_MS);
    expect(eventsOf(ids).toSorted()).toEqual(ids.map((id) => `generate:${id}:1`).toSorted());
    await sweepLater(30 * SECOND_MS);
    expect(eventsOf(ids)).toHaveLength(2);
  });

  test("a silent task is sent again twice, then given up with its credits back", async () => {
    await world.midMonth();
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["moss"]);
    const { id } = await onlyTask(groupId);
    for (const minutes of [14, 16, 32, 48]) await sweepLater(minutes * MINUTE_MS);
    expect(eventsOf([id])).toEqual([`generate:${id}`, `generate:${id}:1`, `generate:${id}:2`]);
    expect(await world.task(id)).toMatchObject({
      status: "FAILURE",
      reason: "This pin took too long to make and was given up.",
    });
    expect(await world.buckets(maker)).toEqual([5, 0, 0]);
    expect(await findRunningGroup(maker.ctx)).toBeNull();
  });

  test("R-SRV-04: a task whose provider asked for an hour is left alone for that hour", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["an hour"]);
    const { id } = await onlyTask(groupId);
    const problem = { kind: "later", text: "The image model is not available.", retryAfterSeconds: 3_600 } as const;
    await weighProblem(world.job(), { taskId: id, attempt: 0, problem });
    // The run's other step asks for less: the longer wait decides.
    await weighProblem(world.job(), { taskId: id, attempt: 0, problem: { ...problem, retryAfterSeconds: 2 } });
    for (const minutes of [16, 32, 48, 64, 74]) await sweepLater(minutes * MINUTE_MS);
    expect(eventsOf([id])).toEqual([`generate:${id}`]);
    await sweepLater(76 * MINUTE_MS);
    expect(eventsOf([id])).toHaveLength(2);
  });

  test("a task that somebody works on is not silent", async () => {
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["at work"]);
    const { id } = await onlyTask(groupId);
    for (const minutes of [14, 28, 42, 56]) {
      await world.house.later(minutes * MINUTE_MS, () => startTask(world.job(), id));
      await sweepLater((minutes + 1) * MINUTE_MS);
    }
    expect(eventsOf([id])).toEqual([`generate:${id}`]);
  });

  test("unsent tasks are seen behind any number of older ones that are at work", async () => {
    const maker = await world.makeMaker(SWEEP_MAX + 1);
    const { groupId } = await world.start(maker, ["first"]);
    const { id, ...first } = await maker.ctx.db.query.generationTasks
      .findFirst({ where: (row) => eq(row.groupId, groupId) })
      .then((row) => row ?? expect.unreachable());
    const wakeAt = new Date(Date.now() + HOUR_MS);
    const many = Array.from({ length: SWEEP_MAX }, (_, index) => {
      const task = { ...first, status: "RETRY" as const, wakeAt, createdAt: new Date(0) };
      return { ...task, id: maker.ctx.newId("task"), position: index + 1 };
    });
    await maker.ctx.db.insert(generationTasks).values(many);
    world.house.failNextSend();
    const unsent = await onlyTask((await world.start(maker, ["unsent"])).groupId);
    await sweepLater(25 * SECOND_MS);
    expect(eventsOf([unsent.id])).toEqual([`generate:${unsent.id}:1`]);
    expect(eventsOf([id])).toHaveLength(1);
    await maker.ctx.db.delete(generationGroups).where(eq(generationGroups.id, groupId));
  });

  test("credits held for a task that no longer exists return", async () => {
    await world.midMonth();
    const maker = await world.makeMaker();
    const { groupId } = await world.start(maker, ["moss", "fern"]);
    await maker.ctx.db.delete(generationGroups).where(eq(generationGroups.id, groupId));
    expect(await world.buckets(maker)).toEqual([3, 0, 2]);
    await sweepLater(16 * MINUTE_MS);
    expect(await world.buckets(maker)).toEqual([5, 0, 0]);
  });
});
