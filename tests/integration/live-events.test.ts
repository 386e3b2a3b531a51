import { eq } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { createDraft, deleteDrafts } from "#lib/features/pins/drafts.ts";
import { LIVE_EVENTS_MAX } from "#lib/features/realtime/constants.ts";
import { findStart, purgeEvents, readEvents } from "#lib/features/realtime/events.ts";
import type { LiveEvent } from "#lib/features/realtime/schema.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();
let sql: postgres.Sql;

beforeAll(() => {
  sql = postgres(setup.databaseUrl, { max: 12, onnotice: () => {} });
});
afterAll(() => sql.end({ timeout: 5 }));

const draftOf = ({ ctx, userId, accountId }: Creator, title = "Moss") =>
  createDraft(ctx, {
    userId,
    accountId: accountId as Parameters<typeof createDraft>[1]["accountId"],
    boardId: "12345",
    source: "manual",
    title,
    description: "",
    altText: "",
    link: null,
    keyword: null,
    imageKey: `pins/${title}.jpg`,
    likeness: null,
    placeholder: null,
  });

const startOf = ({ ctx, userId }: Creator, after: number | null = null) => findStart(ctx, { userId, after });
const presentOf = async (creator: Creator): Promise<number> => (await startOf(creator)).position;
const eventsAfter = async ({ ctx, userId }: Creator, after: number): Promise<LiveEvent[]> => {
  const read = await readEvents(ctx, { userId, after });
  if (read.kind === "too_much") throw new Error("too much");
  return read.events;
};

describe("events written at commit", () => {
  test("R-TRK-03 generating a pin sends events for the group, credits, each task step and the draft", async () => {
    const creator = await setup.insertCreator();
    const before = await presentOf(creator);
    const { groupId } = await setup.start(creator, ["moss"]);
    expect(await eventsAfter(creator, before)).toMatchObject([
      { kind: "credits", data: { available_credits: 4 } },
      { kind: "group", data: { group_id: groupId, total_tasks: 1, quality: "standard", finished: false } },
    ]);
    const started = await presentOf(creator);
    const [task] = await setup.tasksOf(groupId);
    await setup.drive(task?.id ?? "");
    const events = await eventsAfter(creator, started);
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(["group", "post", "task"]);
    expect(events).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          kind: "task",
          data: expect.objectContaining({ group_id: groupId, task_id: task?.id, status: "SUCCESS", keyword: "moss" }),
        }),
        expect.objectContaining({ kind: "post", data: expect.objectContaining({ status: "draft", keyword: "moss" }) }),
        expect.objectContaining({ kind: "group", data: expect.objectContaining({ finished: true }) }),
      ]),
    );
    const kinds = await sql`select kind from live_events where user_id = ${creator.userId} and id > ${started}`;
    expect(kinds.filter(({ kind }) => kind === "task").length).toBeGreaterThanOrEqual(3);
  });

  test("sends events for deleted drafts, account changes and granted credits, but not for invisible changes", async () => {
    const creator = await setup.insertCreator();
    const pinId = await draftOf(creator);
    const before = await presentOf(creator);
    const soon = new Date();
    await creator.ctx.db.update(pins).set({ wakeAt: soon, sweeps: 3 }).where(eq(pins.id, pinId));
    await creator.ctx.db
      .update(generationTasks)
      .set({ wakeAt: soon })
      .where(eq(generationTasks.userId, creator.userId));
    const account = eq(pinterestAccounts.id, creator.accountId);
    await creator.ctx.db.update(pinterestAccounts).set({ accessTokenSealed: "x", refreshLease: "y" }).where(account);
    expect(await eventsAfter(creator, before)).toEqual([]);

    await deleteDrafts(creator.ctx, { pinIds: [pinId] });
    await creator.ctx.db.update(pinterestAccounts).set({ status: "reconnect_needed" }).where(account);
    await grantCredits(setup.job(), { userId: creator.userId, credits: 7, note: "test", cause: `live ${pinId}` });
    expect((await eventsAfter(creator, before)).map(({ kind, data }) => ({ kind, data }))).toEqual([
      { kind: "post_removed", data: { id: pinId } },
      { kind: "account", data: { id: creator.accountId, status: "reconnect_needed" } },
      { kind: "credits", data: { available_credits: expect.any(Number) } },
    ]);
  });

  test("a rollback leaves no events; users read only their own events", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const pinId = await draftOf(creator);
    const before = await presentOf(creator);
    const undone = sql.begin(async (tx) => {
      await tx`update pins set title = 'Undone' where id = ${pinId}`;
      await tx`set constraints all immediate`;
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await eventsAfter(creator, before)).toEqual([]);
    await sql`update pins set title = 'Done' where id = ${pinId}`;
    expect(await eventsAfter(creator, before)).toMatchObject([{ kind: "post", data: { id: pinId, title: "Done" } }]);
    expect(await eventsAfter(other, await presentOf(other))).toEqual([]);
    expect((await eventsAfter(other, 0)).filter(({ kind }) => kind === "post")).toEqual([]);
  });
});

/** Changes a pin and holds the transaction open just before commit, until `release` is called. */
const holdCommit = (pinId: string, title: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<"commit" | "rollback">();
  const { promise: updated, resolve: markUpdated } = Promise.withResolvers<void>();
  const done = sql
    .begin(async (tx) => {
      await tx`update pins set title = ${title} where id = ${pinId}`;
      await tx`set constraints all immediate`;
      markUpdated();
      if ((await released) === "rollback") throw new Error("rolled back");
    })
    .catch((error: Error) => error.message);
  return { updated, release, done };
};

const untilLockIsAwaited = () =>
  until(
    async () => {
      const waiting = await sql`
        select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and locktype = 'advisory' and not granted`;
      return waiting.length > 0;
    },
    { deadlineMs: 15_000, what: "a commit to wait for the lock" },
  );

describe("the order of one user's events", () => {
  test.each(["commit", "rollback"] as const)(
    "a later commit of the same user waits until the earlier one is visible (%s)",
    async (how) => {
      const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
      const [first, second] = [await draftOf(creator, "First"), await draftOf(creator, "Second")];
      const foreign = await draftOf(other, "Foreign");
      const before = await presentOf(creator);
      const held = holdCommit(first, "First changed");
      await held.updated;
      let isThrough = false;
      const later = sql`update pins set title = 'Second changed' where id = ${second}`.then(() => {
        isThrough = true;
      });
      await untilLockIsAwaited();
      await sql`update pins set title = 'Foreign changed' where id = ${foreign}`;
      expect(isThrough).toBe(false);
      // A client reading now sees no event yet and must not miss one later.
      expect(await eventsAfter(creator, before)).toEqual([]);
      expect(await presentOf(creator)).toBe(before);
      held.release(how);
      await Promise.all([held.done, later]);
      const titles = (await eventsAfter(creator, before)).map(({ data }) => Object(data).title);
      expect(titles).toEqual(how === "commit" ? ["First changed", "Second changed"] : ["Second changed"]);
    },
  );

  test("resuming after the last id misses no change of concurrent writers", async () => {
    const creator = await setup.insertCreator();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => draftOf(creator, `Pin ${n}`)));
    const begin = await presentOf(creator);
    const rounds = 25;
    let isWriting = true;
    const writers = Promise.all(
      ids.map(async (id) => {
        for (let round = 1; round <= rounds; round += 1) {
          await sql`update pins set title = ${`Round ${round}`} where id = ${id}`;
        }
      }),
    ).finally(() => {
      isWriting = false;
    });
    let position = begin;
    const seen: number[] = [];
    const readOn = async () => {
      const rows = await sql<{ id: string }[]>`
        select id from live_events where user_id = ${creator.userId} and id > ${position} order by id`;
      seen.push(...rows.map(({ id }) => Number(id)));
      position = seen.at(-1) ?? position;
    };
    while (isWriting) await readOn();
    await writers;
    await readOn();
    const all = await sql<{ id: string }[]>`
      select id from live_events where user_id = ${creator.userId} and id > ${begin} order by id`;
    expect(seen).toEqual(all.map(({ id }) => Number(id)));
    expect(seen).toHaveLength(ids.length * rounds);
    // Each subject comes once, with its current state.
    expect((await eventsAfter(creator, begin)).map(({ data }) => Object(data).title)).toEqual(
      ids.map(() => `Round ${rounds}`),
    );
  });
});

describe("start of a stream", () => {
  test("is the present, the last event seen, or the present with missed events", async () => {
    const creator = await setup.insertCreator();
    await draftOf(creator);
    const present = await presentOf(creator);
    expect(await startOf(creator, present - 1)).toEqual({ position: present - 1, hasMissed: false });
    expect(await startOf(creator, 10 ** 12)).toEqual({ position: present, hasMissed: true });
  });

  test("too many changes cause a reset", async () => {
    const creator = await setup.insertCreator();
    const before = await presentOf(creator);
    const subjects = Array.from({ length: LIVE_EVENTS_MAX + 1 }, (_, n) => ({
      userId: creator.userId,
      kind: "post_removed" as const,
      subject: `pin_${n}`,
    }));
    await creator.ctx.db.insert(liveEvents).values(subjects.slice(0, LIVE_EVENTS_MAX));
    expect(await eventsAfter(creator, before)).toHaveLength(LIVE_EVENTS_MAX);
    await creator.ctx.db.insert(liveEvents).values(subjects.slice(LIVE_EVENTS_MAX));
    expect(await readEvents(creator.ctx, { userId: creator.userId, after: before })).toEqual({ kind: "too_much" });
  });

  test("events are deleted after a day, and older positions count as missed", async () => {
    const creator = await setup.insertCreator();
    await draftOf(creator, "Old");
    const old = await presentOf(creator);
    const jobIn = (ms: number) => ({ ...setup.job(), now: () => addMs(new Date(), ms) });
    expect(await purgeEvents(jobIn(DAY_MS - 10 * MINUTE_MS))).toBe(0);
    await sql`update live_events set created_at = created_at - interval '1 day' where id <= ${old}`;
    const pinId = await draftOf(creator, "New");
    expect(await purgeEvents(jobIn(0))).toBeGreaterThan(0);
    expect(await purgeEvents(jobIn(0))).toBe(0);
    expect(await startOf(creator, old)).toEqual({ position: old, hasMissed: false });
    expect(await eventsAfter(creator, old)).toMatchObject([{ kind: "post", data: { id: pinId } }]);
    expect(await startOf(creator, old - 1)).toEqual({ position: await presentOf(creator), hasMissed: true });
    // A user without events starts at the horizon, not at zero.
    expect(await presentOf(await setup.insertCreator())).toBeGreaterThanOrEqual(old);
  });
});
