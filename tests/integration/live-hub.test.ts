import { eq } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LISTENER_NAME, openListener } from "#db/listen.ts";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { logins } from "#db/schema/identity.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import type { LoginId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { BUFFERED_BYTES_MAX, LIVE_EVENTS_MAX, STREAMS_MAX } from "#lib/features/realtime/constants.ts";
import { findStart } from "#lib/features/realtime/events.ts";
import { createLiveHub, type LiveHub } from "#lib/server/event-hub.ts";
import { openLiveStream, type StreamEnd } from "#lib/server/event-response.ts";
import { type LiveReader, readLive } from "#tests/support/live-reader.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();
let sql: postgres.Sql;
let hub: LiveHub;
/** The number of listening connections opened so far. */
let listeners = 0;
let isRefusing = false;

beforeAll(() => {
  sql = postgres(setup.databaseUrl, { max: 4, onnotice: () => {} });
  hub = createLiveHub({
    listen: async (onPayload) => {
      if (isRefusing) throw new Error("No connection now.");
      const listener = await openListener(setup.databaseUrl, "live", onPayload);
      listeners += 1;
      return listener;
    },
    context: setup.job,
  });
});
afterAll(async () => {
  await hub.close();
  await sql.end({ timeout: 5 });
});

const logIn = async ({ ctx, userId }: Creator): Promise<LoginId> => {
  const id = ctx.newId("login");
  await ctx.db.insert(logins).values({ id, userId, createdAt: new Date(), expiresAt: addMs(new Date(), DAY_MS) });
  return id;
};

const open = async (creator: Creator, after: number | null = null): Promise<LiveReader & { loginId: LoginId }> => {
  const loginId = await logIn(creator);
  const start = await findStart(creator.ctx, { userId: creator.userId, after });
  const { stream, body } = openLiveStream({
    userId: creator.userId,
    loginId,
    start,
    onEnd: (ended) => hub.leave(ended),
  });
  hub.join(stream);
  const reader = readLive(body);
  await reader.find(start.hasMissed ? "reset" : "alive");
  return Object.assign(reader, { loginId });
};

const rename = (creator: Creator, username: string) =>
  creator.ctx.db.update(pinterestAccounts).set({ username }).where(eq(pinterestAccounts.id, creator.accountId));
const setStatus = (creator: Creator, status: "connected" | "reconnect_needed") =>
  creator.ctx.db.update(pinterestAccounts).set({ status }).where(eq(pinterestAccounts.id, creator.accountId));
const accountsIn = (reader: LiveReader) => reader.events.filter(({ event }) => event === "account");

describe("the live stream hub", { timeout: 60_000 }, () => {
  test("sends each change once and in order to all streams of its user only", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const [one, two, foreign] = [await open(creator), await open(creator), await open(other)];
    await setStatus(creator, "reconnect_needed");
    await one.find("account", ({ status }) => status === "reconnect_needed");
    await setStatus(creator, "connected");
    for (const reader of [one, two]) await reader.find("account", ({ status }) => status === "connected");
    for (const reader of [one, two]) {
      const ids = reader.events.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    }
    await setStatus(other, "reconnect_needed");
    await foreign.find("account");
    expect(JSON.stringify(foreign.events)).not.toContain(creator.accountId);
    expect(JSON.stringify([one.events, two.events])).not.toContain(other.accountId);
    await Promise.all([one, two, foreign].map((reader) => reader.close()));
  });

  test("resuming sends missed changes with the current state, or a reset", async () => {
    const creator = await setup.insertCreator();
    const first = await open(creator);
    const seen = first.events.at(-1)?.id ?? 0;
    await first.close();
    await rename(creator, "fern");
    await setStatus(creator, "reconnect_needed");
    const again = await open(creator, seen);
    await again.find("account", ({ status }) => status === "reconnect_needed");
    expect(accountsIn(again)).toHaveLength(1);
    const many = Array.from({ length: LIVE_EVENTS_MAX + 5 }, (_, n) => ({
      userId: creator.userId,
      kind: "post_removed" as const,
      subject: `pin_${n}`,
    }));
    await creator.ctx.db.insert(liveEvents).values(many);
    await rename(creator, "moss");
    const { id } = await again.find("reset");
    await setStatus(creator, "connected");
    expect((await again.find("account", ({ status }) => status === "connected")).id).toBeGreaterThan(id);
    await again.close();
    await (await open(creator, 10 ** 12)).close();
  });

  test("events without output still advance the position", async () => {
    const creator = await setup.insertCreator();
    const reader = await open(creator);
    const [event] = await creator.ctx.db
      .insert(liveEvents)
      .values({ userId: creator.userId, kind: "post", subject: "pin_that_is_gone" })
      .returning({ id: liveEvents.id });
    await sql`select pg_notify('live', ${creator.userId})`;
    const passed = async () => {
      await hub.tick();
      return reader.events.some(({ event: kind, id }) => kind === "alive" && id >= (event?.id ?? Infinity));
    };
    await until(passed, { deadlineMs: 20_000, what: "a keep-alive past the event" });
    expect(reader.events.filter(({ event: kind }) => kind === "post")).toEqual([]);
    await reader.close();
  });

  test("reconnects a lost connection and reads what was missed", async () => {
    const creator = await setup.insertCreator();
    const reader = await open(creator);
    await setStatus(creator, "reconnect_needed");
    await reader.find("account");
    const before = listeners;
    isRefusing = true;
    const ours = sql`from pg_stat_activity where datname = current_database() and application_name = ${LISTENER_NAME}`;
    await sql`select pg_terminate_backend(pid) ${ours}`;
    await until(async () => (await sql`select 1 ${ours}`).length === 0, {
      deadlineMs: 20_000,
      what: "the connection to close",
    });
    await setStatus(creator, "connected");
    expect(accountsIn(reader)).toHaveLength(1);
    isRefusing = false;
    await reader.find("account", ({ status }) => status === "connected");
    expect(listeners).toBe(before + 1);
    await reader.close();
  });

  test("closes streams of revoked logins immediately, of expired ones at the next heartbeat", async () => {
    const creator = await setup.insertCreator();
    const [revoked, expired, living] = [await open(creator), await open(creator), await open(creator)];
    await creator.ctx.db.update(logins).set({ revokedAt: new Date() }).where(eq(logins.id, revoked.loginId));
    await revoked.untilOver();
    expect([expired.isOver, living.isOver]).toEqual([false, false]);
    await creator.ctx.db
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

  test("allows ten streams per user, each released once", async () => {
    const { userId } = await setup.insertCreator();
    const seats = Array.from({ length: STREAMS_MAX }, () => hub.reserveStream(userId));
    const refused = expect.objectContaining({ code: "too_many", retryAfterSeconds: expect.any(Number) });
    expect(() => hub.reserveStream(userId)).toThrow(refused);
    seats[0]?.();
    seats[0]?.();
    seats[0] = hub.reserveStream(userId);
    expect(() => hub.reserveStream(userId)).toThrow(refused);
    for (const giveBack of seats) giveBack();
  });
});

test("disconnects a slow client and drops its buffer", async () => {
  const { ctx, userId } = await setup.insertCreator();
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
  expect(sent).toBeGreaterThan(BUFFERED_BYTES_MAX / 2);
  expect(sent).toBeLessThan(BUFFERED_BYTES_MAX + 2 * text.length);
});

test("closing ends all streams, including later ones", async () => {
  const creator = await setup.insertCreator();
  const closing = createLiveHub({
    listen: (onPayload) => openListener(setup.databaseUrl, "live", onPayload),
    context: setup.job,
  });
  const loginId = await logIn(creator);
  const start = { position: 0, hasMissed: false };
  const make = () => openLiveStream({ userId: creator.userId, loginId, start, onEnd: (ended) => closing.leave(ended) });
  const [before, after] = [make(), make()];
  closing.join(before.stream);
  await closing.close();
  closing.join(after.stream);
  await Promise.all([readLive(before.body).untilOver(), readLive(after.body).untilOver()]);
});
