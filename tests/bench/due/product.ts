import { randomBytes } from "node:crypto";
import { and, inArray, lte, sql } from "drizzle-orm";
import sharp from "sharp";
import { pins } from "#db/schema/pins.ts";
import { buildHouse, contextIn } from "#lib/composition.ts";
import { databaseTime, type FullCtx } from "#lib/context.ts";
import { type AccountId, isId, type PinId, type UserId } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { parseEnv } from "#lib/env.ts";
import { announcePins } from "#lib/features/publishing/queue.ts";
import { startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { controlPinterest, type PinterestControl } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";
import { allOffsetsMs, type Lateness, type Scene } from "./scene.ts";

interface Maker {
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

/** How long before the first pin is due the clocks are moved to. */
const LEAD_MS = 5_000;
const INSERT_MAX = 500;
const SETTLED_WITHIN_MS = 20 * 60_000;

const makeMaker = async (app: TestApp, pinterest: PinterestControl): Promise<Maker> => {
  const client = clientOf(app);
  const user = await client.signUp();
  const { id: userId } = Object((await user.call("/api/users/me/")).json);
  const { id: accountId, username } = await client.connectOverHttp(user);
  const board = (await pinterest.boardsOf(username)).find(({ privacy }) => privacy === "PUBLIC");
  if (!isId("user", userId) || !isId("account", accountId) || !board) throw new Error("This user cannot publish.");
  return { userId, accountId, username, boardId: board.id };
};

const paint = (): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 600, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();

/** Pins as a schedule leaves them, due an hour from now, then by the scene's offsets. */
const writePins = async (ctx: FullCtx, makers: readonly Maker[], scene: Scene): Promise<Map<string, Date>> => {
  const imageKey = `pins/${randomBytes(8).toString("hex")}.jpg`;
  await ctx.storage.put(imageKey, await paint());
  const now = await databaseTime(ctx);
  const common = { source: "ai", status: "scheduled", imageKey, scheduleGeneration: 1, wakeAt: now } as const;
  const rows = allOffsetsMs(scene).map((offsetMs, n) => {
    const maker = makers[n % makers.length];
    if (!maker) throw new Error("There are no makers.");
    const { userId, accountId, boardId } = maker;
    const dueAt = addMs(now, HOUR_MS + offsetMs);
    const words = { title: `${scene.name} ${n}`, description: "For a bench.", altText: "Green.", keyword: null };
    const at = { scheduledAt: dueAt, chosenAt: now, createdAt: now, updatedAt: now };
    return { ...common, ...words, ...at, id: ctx.newId("pin"), userId, accountId, boardId, link: null };
  });
  for (let from = 0; from < rows.length; from += INSERT_MAX) {
    const part = rows.slice(from, from + INSERT_MAX);
    await ctx.db.insert(pins).values(part);
    await announcePins(
      ctx,
      part.map(({ id, accountId }) => ({ pinId: id as PinId, accountId, scheduleGeneration: 1 })),
    );
  }
  return new Map(rows.map(({ title, scheduledAt }) => [title, scheduledAt]));
};

const sleeping = async (app: TestApp): Promise<number> => {
  const health = Object(await (await fetch(`${app.executorUrl}/health`)).json());
  return Number(health.queue?.sleeping ?? 0);
};

/** Until none of those due by a moment is scheduled any more. */
const untilSettled = async (ctx: FullCtx, makers: readonly Maker[], lastDueAt: Date): Promise<void> => {
  const users = makers.map(({ userId }) => userId);
  const isSettled = async () => {
    const [row] = await ctx.db
      .select({ waiting: sql<number>`count(*) filter (where ${pins.status} = 'scheduled')::int` })
      .from(pins)
      .where(and(inArray(pins.userId, users), lte(pins.scheduledAt, lastDueAt)));
    return row?.waiting === 0;
  };
  await until(isSettled, { deadlineMs: SETTLED_WITHIN_MS, everyMs: 1_000, what: "every pin to be settled" });
};

/**
 * The running product: schedules the scene's pins an hour ahead, waits until every run sleeps, moves all clocks to just
 * before the first one is due, and reads when each pin was created at the stand-in.
 */
export const publishScene = async (serverUrl: string, scene: Scene, accounts: number): Promise<Lateness> => {
  const app = await startTestApp({ serverUrl });
  const house = buildHouse(parseEnv(app.env));
  const ctx = contextIn(house, { kind: "job", name: "bench" }, createWideEvent());
  const pinterest = controlPinterest(app.pinterestUrl);
  try {
    const makers: Maker[] = [];
    for (let n = 0; n < accounts; n += 1) makers.push(await makeMaker(app, pinterest));
    const dueAt = await writePins(ctx, makers, scene);
    const all = async () => (await sleeping(app)) >= dueAt.size;
    await until(all, { deadlineMs: SETTLED_WITHIN_MS, everyMs: 500, what: "every run to sleep" });
    const moments = [...dueAt.values()].map(Number).toSorted((a, b) => a - b);
    await app.moveClock((moments[0] ?? 0) - LEAD_MS - Date.now());
    await untilSettled(ctx, makers, new Date(moments[scene.offsetsMs.length - 1] ?? 0));
    const there = (await Promise.all(makers.map(({ username }) => pinterest.pinsOf(username)))).flat();
    const lateMs = there.map(({ title, created_at }) => Date.parse(created_at) - Number(dueAt.get(title)));
    const different = new Set(there.map(({ title }) => title)).size;
    return { lateMs, missing: scene.offsetsMs.length - different, twice: there.length - different };
  } finally {
    await house.database.close();
    await app.stop();
  }
};
