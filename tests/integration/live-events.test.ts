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
import { NEWS_MAX } from "#lib/features/realtime/constants.ts";
import { findStart, readNews, retireEvents } from "#lib/features/realtime/events.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";
import { until } from "#tests/support/poll.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();
let sql: postgres.Sql;

beforeAll(() => {
  sql = postgres(world.databaseUrl, { max: 12, onnotice: () => {} });
});
afterAll(() => sql.end({ timeout: 5 }));

const draftOf = ({ ctx, userId, accountId }: Maker, title = "Moss") =>
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

const startOf = ({ ctx, userId }: Maker, after: number | null = null) => findStart(ctx, { userId, after });
const presentOf = async (maker: Maker): Promise<number> => (await startOf(maker)).position;
const newsOf = async ({ ctx, userId }: Maker, after: number): Promise<LiveNews[]> => {
  const read = await readNews(ctx, { userId, after });
  if (read.kind === "too_much") throw new Error("too much");
  return read.news;
};

describe("what is written at the commit", () => {
  test("R-TRK-03 making a pin tells of the group, the credits, each step of the task and the draft, as the calls would", async () => {
    const maker = await world.makeMaker();
    const before = await presentOf(maker);
    const { groupId } = await world.start(maker, ["moss"]);
    expect(await newsOf(maker, before)).toMatchObject([
      { kind: "credits", data: { available_credits: 4 } },
      { kind: "group", data: { group_id: groupId, total_tasks: 1, quality: "standard", finished: false } },
    ]);
    const started = await presentOf(maker);
    const [task] = await world.tasksOf(groupId);
    await world.drive(task?.id ?? "");
    const news = await newsOf(maker, started);
    expect(news.map(({ kind }) => kind).toSorted()).toEqual(["group", "post", "task"]);
    expect(news).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          kind: "task",
          data: expect.objectContaining({ group_id: groupId, task_id: task?.id, status: "SUCCESS", keyword: "moss" }),
        }),
        expect.objectContaining({ kind: "post", data: expect.objectContaining({ status: "draft", keyword: "moss" }) }),
        expect.objectContaining({ kind: "group", data: expect.objectContaining({ finished: true }) }),
      ]),
    );
    const kinds = await sql`select kind from live_events where user_id = ${maker.userId} and id > ${started}`;
    expect(kinds.filter(({ kind }) => kind === "task").length).toBeGreaterThanOrEqual(3);
  });

  test("a deleted draft, a changed account and granted credits are told; what nobody sees is not", async () => {
    const maker = await world.makeMaker();
    const pinId = await draftOf(maker);
    const before = await presentOf(maker);
    const soon = new Date();
    await maker.ctx.db.update(pins).set({ wakeAt: soon, sweeps: 3 }).where(eq(pins.id, pinId));
    await maker.ctx.db.update(generationTasks).set({ wakeAt: soon }).where(eq(generationTasks.userId, maker.userId));
    const account = eq(pinterestAccounts.id, maker.accountId);
    await maker.ctx.db.update(pinterestAccounts).set({ accessTokenSealed: "x", refreshLease: "y" }).where(account);
    expect(await newsOf(maker, before)).toEqual([]);

    await deleteDrafts(maker.ctx, { pinIds: [pinId] });
    await maker.ctx.db.update(pinterestAccounts).set({ status: "reconnect_needed" }).where(account);
    await grantCredits(world.job(), { userId: maker.userId, credits: 7, note: "test", cause: `live ${pinId}` });
    expect((await newsOf(maker, before)).map(({ kind, data }) => ({ kind, data }))).toEqual([
      { kind: "post_removed", data: { id: pinId } },
      { kind: "account", data: { id: maker.accountId, status: "reconnect_needed" } },
      { kind: "credits", data: { available_credits: expect.any(Number) } },
    ]);
  });

  test("what is rolled back leaves nothing; nobody reads another user's events", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const pinId = await draftOf(maker);
    const before = await presentOf(maker);
    const undone = sql.begin(async (tx) => {
      await tx`update pins set title = 'Undone' where id = ${pinId}`;
      await tx`set constraints all immediate`;
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await newsOf(maker, before)).toEqual([]);
    await sql`update pins set title = 'Done' where id = ${pinId}`;
    expect(await newsOf(maker, before)).toMatchObject([{ kind: "post", data: { id: pinId, title: "Done" } }]);
    expect(await newsOf(other, await presentOf(other))).toEqual([]);
    expect((await newsOf(other, 0)).filter(({ kind }) => kind === "post")).toEqual([]);
  });
});

/** Changes a pin and stands at the very end of its transaction, its event written, until it is let go. */
const holdCommit = (pinId: string, title: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<"commit" | "rollback">();
  const { promise: stands, resolve: standing } = Promise.withResolvers<void>();
  const done = sql
    .begin(async (tx) => {
      await tx`update pins set title = ${title} where id = ${pinId}`;
      await tx`set constraints all immediate`;
      standing();
      if ((await released) === "rollback") throw new Error("rolled back");
    })
    .catch((error: Error) => error.message);
  return { stands, release, done };
};

const untilSomebodyWaits = () =>
  until(
    async () => {
      const waiting = await sql`
        select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and locktype = 'advisory' and not granted`;
      return waiting.length > 0;
    },
    { deadlineMs: 15_000, what: "a commit that waits for its turn" },
  );

describe("the order of one user's events", () => {
  test.each(["commit", "rollback"] as const)(
    "a later commit waits until the earlier one is visible (%s), and only the same user's",
    async (how) => {
      const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
      const [first, second] = [await draftOf(maker, "First"), await draftOf(maker, "Second")];
      const foreign = await draftOf(other, "Foreign");
      const before = await presentOf(maker);
      const held = holdCommit(first, "First changed");
      await held.stands;
      let isThrough = false;
      const later = sql`update pins set title = 'Second changed' where id = ${second}`.then(() => {
        isThrough = true;
      });
      await untilSomebodyWaits();
      await sql`update pins set title = 'Foreign changed' where id = ${foreign}`;
      expect(isThrough).toBe(false);
      // A reader at this moment has seen nothing, and will miss nothing.
      expect(await newsOf(maker, before)).toEqual([]);
      expect(await presentOf(maker)).toBe(before);
      held.release(how);
      await Promise.all([held.done, later]);
      const titles = (await newsOf(maker, before)).map(({ data }) => Object(data).title);
      expect(titles).toEqual(how === "commit" ? ["First changed", "Second changed"] : ["Second changed"]);
    },
  );

  test("who always goes on after the last id sees every change of many writers at once", async () => {
    const maker = await world.makeMaker();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => draftOf(maker, `Pin ${n}`)));
    const begin = await presentOf(maker);
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
        select id from live_events where user_id = ${maker.userId} and id > ${position} order by id`;
      seen.push(...rows.map(({ id }) => Number(id)));
      position = seen.at(-1) ?? position;
    };
    while (isWriting) await readOn();
    await writers;
    await readOn();
    const all = await sql<{ id: string }[]>`
      select id from live_events where user_id = ${maker.userId} and id > ${begin} order by id`;
    expect(seen).toEqual(all.map(({ id }) => Number(id)));
    expect(seen).toHaveLength(ids.length * rounds);
    // Told one by one, each thing comes once, as it is now.
    expect((await newsOf(maker, begin)).map(({ data }) => Object(data).title)).toEqual(
      ids.map(() => `Round ${rounds}`),
    );
  });
});

describe("where a stream begins", () => {
  test("at the present, after the last event seen, or at the present with something missed", async () => {
    const maker = await world.makeMaker();
    await draftOf(maker);
    const present = await presentOf(maker);
    expect(await startOf(maker, present - 1)).toEqual({ position: present - 1, hasMissed: false });
    expect(await startOf(maker, 10 ** 12)).toEqual({ position: present, hasMissed: true });
  });

  test("more changes than can be told one by one are too much", async () => {
    const maker = await world.makeMaker();
    const before = await presentOf(maker);
    const subjects = Array.from({ length: NEWS_MAX + 1 }, (_, n) => ({
      userId: maker.userId,
      kind: "post_removed" as const,
      subject: `pin_${n}`,
    }));
    await maker.ctx.db.insert(liveEvents).values(subjects.slice(0, NEWS_MAX));
    expect(await newsOf(maker, before)).toHaveLength(NEWS_MAX);
    await maker.ctx.db.insert(liveEvents).values(subjects.slice(NEWS_MAX));
    expect(await readNews(maker.ctx, { userId: maker.userId, after: before })).toEqual({ kind: "too_much" });
  });

  test("DESIGN §5.6 events are deleted after a day, and whoever has to go on before that has missed something", async () => {
    const maker = await world.makeMaker();
    await draftOf(maker, "Old");
    const old = await presentOf(maker);
    const jobIn = (ms: number) => ({ ...world.job(), now: () => addMs(new Date(), ms) });
    expect(await retireEvents(jobIn(DAY_MS - 10 * MINUTE_MS))).toBe(0);
    await sql`update live_events set created_at = created_at - interval '1 day' where id <= ${old}`;
    const pinId = await draftOf(maker, "New");
    expect(await retireEvents(jobIn(0))).toBeGreaterThan(0);
    expect(await retireEvents(jobIn(0))).toBe(0);
    expect(await startOf(maker, old)).toEqual({ position: old, hasMissed: false });
    expect(await newsOf(maker, old)).toMatchObject([{ kind: "post", data: { id: pinId } }]);
    expect(await startOf(maker, old - 1)).toEqual({ position: await presentOf(maker), hasMissed: true });
    // Somebody of whom nothing is kept begins behind what is deleted, not at zero.
    expect(await presentOf(await world.makeMaker())).toBeGreaterThanOrEqual(old);
  });
});
