import { randomBytes } from "node:crypto";
import { and, inArray, lte, sql } from "drizzle-orm";
import sharp from "sharp";
import { pins } from "#db/schema/pins.ts";
import { buildContainer, contextIn } from "#lib/composition.ts";
import { databaseTime, type FullCtx } from "#lib/context.ts";
import { type AccountId, isId, type UserId } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { parseEnv } from "#lib/env.ts";
import { startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { controlPinterest, type PinterestControl } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";
import { cpuMsOf } from "../harness/machine.ts";
import { allOffsetsMs, type Lateness, type Scenario } from "./scenario.ts";

interface Creator {
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

/** How long before the first due pin the clocks are set. */
const LEAD_MS = 40_000;
const INSERT_MAX = 500;
const SETTLED_WITHIN_MS = 20 * 60_000;

const insertCreator = async (app: TestApp, pinterest: PinterestControl): Promise<Creator> => {
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

/** Scheduled pins, due in an hour plus the scenario's offsets. */
const writePins = async (
  ctx: FullCtx,
  creators: readonly Creator[],
  scenario: Scenario,
): Promise<Map<string, Date>> => {
  const imageKey = `pins/${randomBytes(8).toString("hex")}.jpg`;
  await ctx.storage.put(imageKey, await paint());
  const now = await databaseTime(ctx);
  const common = { source: "ai", status: "scheduled", imageKey, scheduleGeneration: 1 } as const;
  const rows = allOffsetsMs(scenario).map((offsetMs, n) => {
    const creator = creators[n % creators.length];
    if (!creator) throw new Error("There are no creators.");
    const { userId, accountId, boardId } = creator;
    const dueAt = addMs(now, HOUR_MS + offsetMs);
    const words = { title: `${scenario.name} ${n}`, description: "For a bench.", altText: "Green.", keyword: null };
    const at = { scheduledAt: dueAt, wakeAt: dueAt, chosenAt: now, createdAt: now, updatedAt: now };
    return { ...common, ...words, ...at, id: ctx.newId("pin"), userId, accountId, boardId, link: null };
  });
  for (let from = 0; from < rows.length; from += INSERT_MAX) {
    await ctx.db.insert(pins).values(rows.slice(from, from + INSERT_MAX));
  }
  return new Map(rows.map(({ title, scheduledAt }) => [title, scheduledAt]));
};

/** Waits until no pin due by this time is still scheduled. */
const untilSettled = async (ctx: FullCtx, creators: readonly Creator[], lastDueAt: Date): Promise<void> => {
  const users = creators.map(({ userId }) => userId);
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
 * Schedules the scenario's pins an hour ahead, moves all clocks to just before the first one is due, and reads when the
 * stand-in created each pin.
 */
export const publishScenario = async (serverUrl: string, scenario: Scenario, accounts: number): Promise<Lateness> => {
  const app = await startTestApp({ serverUrl });
  const harness = buildContainer(parseEnv(app.env));
  const ctx = contextIn(harness, { kind: "job", name: "bench" }, createWideEvent());
  const pinterest = controlPinterest(app.pinterestUrl);
  try {
    const creators: Creator[] = [];
    for (let n = 0; n < accounts; n += 1) creators.push(await insertCreator(app, pinterest));
    const dueAt = await writePins(ctx, creators, scenario);
    const times = [...dueAt.values()].map(Number).toSorted((a, b) => a - b);
    const cpuBeforeMs = cpuMsOf(app.pid("app"));
    await app.moveClock((times[0] ?? 0) - LEAD_MS - Date.now());
    await untilSettled(ctx, creators, new Date(times[scenario.offsetsMs.length - 1] ?? 0));
    const cpuMsPerPin = (cpuMsOf(app.pid("app")) - cpuBeforeMs) / scenario.offsetsMs.length;
    const there = (await Promise.all(creators.map(({ username }) => pinterest.pinsOf(username)))).flat();
    const lateMs = there.map(({ title, created_at }) => Date.parse(created_at) - Number(dueAt.get(title)));
    const different = new Set(there.map(({ title }) => title)).size;
    const missing = scenario.offsetsMs.length - different;
    return { lateMs, missing, twice: there.length - different, cpuMsPerPin };
  } finally {
    await harness.database.close();
    await app.stop();
  }
};
