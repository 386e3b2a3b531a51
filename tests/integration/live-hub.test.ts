import { eq } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LISTENER_NAME, openListener } from "#db/listen.ts";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { logins } from "#db/schema/identity.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import type { LoginId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { NEWS_MAX, STREAMS_MAX, WAITING_BYTES_MAX } from "#lib/features/realtime/constants.ts";
import { findStart } from "#lib/features/realtime/events.ts";
import { createLiveHub, type LiveHub } from "#lib/server/event-hub.ts";
import { openLiveStream, type StreamEnd } from "#lib/server/event-response.ts";
import { type LiveReader, readLive } from "#tests/support/live-reader.ts";
import { until } from "#tests/support/poll.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();
let sql: postgres.Sql;
let hub: LiveHub;
/** Connections that listen, opened so far. */
let listeners = 0;
let isRefusing = false;

beforeAll(() => {
  sql = postgres(world.databaseUrl, { max: 4, onnotice: () => {} });
  hub = createLiveHub({
    listen: async (onPayload) => {
      if (isRefusing) throw new Error("No connection now.");
      const listener = await openListener(world.databaseUrl, "live", onPayload);
      listeners += 1;
      return listener;
    },
    context: world.job,
  });
});
afterAll(async () => {
  await hub.close();
  await sql.end({ timeout: 5 });
});

const logIn = async ({ ctx, userId }: Maker): Promise<LoginId> => {
  const id = ctx.newId("login");
  await ctx.db.insert(logins).values({ id, userId, createdAt: new Date(), expiresAt: addMs(new Date(), DAY_MS) });
  return id;
};

const open = async (maker: Maker, after: number | null = null): Promise<LiveReader & { loginId: LoginId }> => {
  const loginId = await logIn(maker);
  const start = await findStart(maker.ctx, { userId: maker.userId, after });
  const { stream, body } = openLiveStream({ userId: maker.userId, loginId, start, onEnd: (ended) => hub.leave(ended) });
  hub.join(stream);
  const reader = readLive(body);
  await reader.find(start.hasMissed ? "reset" : "alive");
  return Object.assign(reader, { loginId });
};

const rename = (maker: Maker, username: string) =>
  maker.ctx.db.update(pinterestAccounts).set({ username }).where(eq(pinterestAccounts.id, maker.accountId));
const setStatus = (maker: Maker, status: "connected" | "reconnect_needed") =>
  maker.ctx.db.update(pinterestAccounts).set({ status }).where(eq(pinterestAccounts.id, maker.accountId));
const accountsIn = (reader: LiveReader) => reader.events.filter(({ event }) => event === "account");

describe("the hub of the live streams", { timeout: 60_000 }, () => {
  test("every stream of a user hears of a change once, in order; nobody else's does", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const [one, two, foreign] = [await open(maker), await open(maker), await open(other)];
    await setStatus(maker, "reconnect_needed");
    await one.find("account", ({ status }) => status === "reconnect_needed");
    await setStatus(maker, "connected");
    for (const reader of [one, two]) await reader.find("account", ({ status }) => status === "connected");
    for (const reader of [one, two]) {
      const ids = reader.events.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    }
    await setStatus(other, "reconnect_needed");
    await foreign.find("account");
    expect(JSON.stringify(foreign.events)).not.toContain(maker.accountId);
    expect(JSON.stringify([one.events, two.events])).not.toContain(other.accountId);
    await Promise.all([one, two, foreign].map((reader) => reader.close()));
  });

  test("one that resumes gets what it missed, each thing as it is now; too much, or too old, is a reset", async () => {
    const maker = await world.makeMaker();
    const first = await open(maker);
    const seen = first.events.at(-1)?.id ?? 0;
    await first.close();
    await rename(maker, "fern");
    await setStatus(maker, "reconnect_needed");
    const again = await open(maker, seen);
    await again.find("account", ({ status }) => status === "reconnect_needed");
    expect(accountsIn(again)).toHaveLength(1);
    const many = Array.from({ length: NEWS_MAX + 5 }, (_, n) => ({
      userId: maker.userId,
      kind: "post_removed" as const,
      subject: `pin_${n}`,
    }));
    await maker.ctx.db.insert(liveEvents).values(many);
    await rename(maker, "moss");
    const { id } = await again.find("reset");
    await setStatus(maker, "connected");
    expect((await again.find("account", ({ status }) => status === "connected")).id).toBeGreaterThan(id);
    await again.close();
    await (await open(maker, 10 ** 12)).close();
  });

  test("what has nothing to tell any more moves the stream on all the same", async () => {
    const maker = await world.makeMaker();
    const reader = await open(maker);
    const [event] = await maker.ctx.db
      .insert(liveEvents)
      .values({ userId: maker.userId, kind: "post", subject: "pin_that_is_gone" })
      .returning({ id: liveEvents.id });
    await sql`select pg_notify('live', ${maker.userId})`;
    const passed = async () => {
      await hub.tick();
      return reader.events.some(({ event: kind, id }) => kind === "alive" && id >= (event?.id ?? Infinity));
    };
    await until(passed, { deadlineMs: 20_000, what: "a sign of life from behind it" });
    expect(reader.events.filter(({ event: kind }) => kind === "post")).toEqual([]);
    await reader.close();
  });

  test("a lost connection is replaced, and what was told meanwhile is read", async () => {
    const maker = await world.makeMaker();
    const reader = await open(maker);
    await setStatus(maker, "reconnect_needed");
    await reader.find("account");
    const before = listeners;
    isRefusing = true;
    const ours = sql`from pg_stat_activity where datname = current_database() and application_name = ${LISTENER_NAME}`;
    await sql`select pg_terminate_backend(pid) ${ours}`;
    await until(async () => (await sql`select 1 ${ours}`).length === 0, {
      deadlineMs: 20_000,
      what: "the end of the connection",
    });
    await setStatus(maker, "connected");
    expect(accountsIn(reader)).toHaveLength(1);
    isRefusing = false;
    await reader.find("account", ({ status }) => status === "connected");
    expect(listeners).toBe(before + 1);
    await reader.close();
  });

  test("a revoked login loses its stream at once, an expired one with the next sign of life", async () => {
    const maker = await world.makeMaker();
    const [revoked, expired, living] = [await open(maker), await open(maker), await open(maker)];
    await maker.ctx.db.update(logins).set({ revokedAt: new Date() }).where(eq(logins.id, revoked.loginId));
    await revoked.untilOver();
    expect([expired.isOver, living.isOver]).toEqual([false, false]);
    await maker.ctx.db
      .update(logins)
      .set({ expiresAt: addMs(new Date(), -1) })
      .where(eq(logins.id, expired.loginId));
    const signs = living.events.filter(({ event }) => event === "alive").length;
    await hub.tick();
    await expired.untilOver();
    await until(() => living.events.filter(({ event }) => event === "alive").length > signs, {
      deadlineMs: 20_000,
    });
    expect(living.isOver).toBe(false);
    await living.close();
  });

  test("a user has ten places, and each is given back once", async () => {
    const { userId } = await world.makeMaker();
    const seats = Array.from({ length: STREAMS_MAX }, () => hub.takeSeat(userId));
    const refused = expect.objectContaining({ code: "too_many", retryAfterSeconds: expect.any(Number) });
    expect(() => hub.takeSeat(userId)).toThrow(refused);
    seats[0]?.();
    seats[0]?.();
    seats[0] = hub.takeSeat(userId);
    expect(() => hub.takeSeat(userId)).toThrow(refused);
    for (const giveBack of seats) giveBack();
  });
});

test("a reader that lets too much lie is cut off, and nothing more is kept for it", async () => {
  const { ctx, userId } = await world.makeMaker();
  const ends: StreamEnd[] = [];
  const { stream } = openLiveStream({
    userId,
    loginId: ctx.newId("login"),
    start: { position: 0, hasMissed: false },
    onEnd: () => ends.push("slow"),
  });
  const text = "x".repeat(10_000);
  let sent = 0;
  for (let id = 1; ends.length === 0 && id < 1_000; id += 1) {
    stream.send({ id, kind: "post_removed", data: { id: text } });
    if (ends.length === 0) sent += text.length;
  }
  expect(sent).toBeGreaterThan(WAITING_BYTES_MAX / 2);
  expect(sent).toBeLessThan(WAITING_BYTES_MAX + 2 * text.length);
});

test("closing ends every stream at once, and those that come later", async () => {
  const maker = await world.makeMaker();
  const closing = createLiveHub({
    listen: (onPayload) => openListener(world.databaseUrl, "live", onPayload),
    context: world.job,
  });
  const loginId = await logIn(maker);
  const start = { position: 0, hasMissed: false };
  const make = () => openLiveStream({ userId: maker.userId, loginId, start, onEnd: (ended) => closing.leave(ended) });
  const [before, after] = [make(), make()];
  closing.join(before.stream);
  await closing.close();
  closing.join(after.stream);
  await Promise.all([readLive(before.body).untilOver(), readLive(after.body).untilOver()]);
});
