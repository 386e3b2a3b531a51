import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openListener } from "#db/listen.ts";
import { drawingPauses, drawingPlaces } from "#db/schema/generation.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import {
  askPlace,
  DRAWING_CHANNEL,
  type Drawing,
  holdPlace,
  type Place,
  releasePlace,
} from "#lib/features/generation/image-slots.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";

const database = databaseForFile();
/** Two processes: what one of them keeps in memory, the other does not know. */
let houses: [TestHouse, TestHouse];
let users: UserId[];

beforeAll(async () => {
  const open = () => createTestHouse({ databaseUrl: database().url, storageDir: "unused" });
  houses = [open(), open()];
  users = [];
  for (const house of [houses[0], houses[0], houses[0]]) users.push((await createUser(house)).userId);
});
afterAll(() => Promise.all(houses.map((house) => house.close())));
beforeEach(async () => {
  await database().db.delete(drawingPlaces);
  await database().db.delete(drawingPauses);
});

const workerOf = (house: 0 | 1, places: number): FullCtx => {
  const ctx = contextOf(houses[house], { kind: "job", name: "test" });
  return { ...ctx, settings: { ...ctx.settings, imageConcurrency: places } };
};

let names = 0;
const claim = (user: number, order = 0) => {
  names += 1;
  const userId = users[user];
  if (userId === undefined) throw new Error(`There is no user ${user}.`);
  return { reference: `thing-${names}`, userId, askedAt: new Date(order) };
};

const done = async (): Promise<Drawing<null>> => ({ kind: "done", result: null });

/** Work that ends when it is told to. */
const gate = () => {
  const [entered, opened] = [Promise.withResolvers<Place>(), Promise.withResolvers<void>()];
  const work = async (place: Place): Promise<Drawing<null>> => {
    entered.resolve(place);
    await opened.promise;
    return done();
  };
  return { work, entered: entered.promise, open: () => opened.resolve() };
};

const inLine = async (count: number) =>
  until(async () => (await database().db.$count(drawingPlaces)) === count, { what: `${count} in line` });

test("as many at a time as there are places, over two processes, and never more; all get theirs", async () => {
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  const work = async (place: Place): Promise<Drawing<null>> => {
    now += 1;
    most = Math.max(most, now);
    if (now === 3) full.resolve();
    await full.promise;
    // A turn of the database: whoever came in too early would be in by then.
    await database().db.execute(sql`select 1`);
    now -= 1;
    await place.handOn();
    return done();
  };
  const held = Array.from({ length: 14 }, (_, index) =>
    holdPlace(workerOf(index % 2 === 0 ? 0 : 1, 3), claim(index % 3), work),
  );
  expect(new Set((await Promise.all(held)).map(({ kind }) => kind))).toEqual(new Set(["done"]));
  expect(most).toBe(3);
  expect(await database().db.$count(drawingPlaces)).toBe(0);
}, 60_000);

test("of two calls for the same thing one works, the other is sent away; also when the model has answered", async () => {
  const wanted = claim(0);
  const first = gate();
  const held = holdPlace(workerOf(0, 5), wanted, first.work);
  const place = await first.entered;
  let hasWorked = false;
  const work = () => {
    hasWorked = true;
    return done();
  };
  const sentAway = await holdPlace(workerOf(1, 5), wanted, work);
  expect(sentAway).toMatchObject({ kind: "no_place", isTaken: true });
  // Not before a dead call's lease would be over.
  expect(sentAway.kind === "no_place" && sentAway.afterSeconds).toBeGreaterThan(2);
  await place.handOn();
  expect(await holdPlace(workerOf(1, 5), wanted, work)).toMatchObject({ kind: "no_place", isTaken: true });
  first.open();
  await held;
  expect(hasWorked).toBe(false);
  expect(await holdPlace(workerOf(1, 5), wanted, done)).toMatchObject({ kind: "done" });
});

test("the user with the fewest running goes next, then first come first served", async () => {
  const worker = workerOf(0, 2);
  const order: string[] = [];
  const running: { name: string; open(): void }[] = [];
  const enter = (name: string, user: number, at: number) => {
    const one = gate();
    const work = (place: Place) => {
      order.push(name);
      running.push({ name, open: one.open });
      return one.work(place);
    };
    return holdPlace(worker, claim(user, at), work);
  };
  const held = [enter("a1", 0, 1)];
  await until(() => running.length === 1, { what: "the first running" });
  held.push(enter("a2", 0, 2));
  await until(() => running.length === 2, { what: "two running" });
  held.push(enter("a3", 0, 3), enter("a4", 0, 4), enter("b1", 1, 5), enter("c1", 2, 6), enter("b2", 1, 7));
  await inLine(7);
  for (let ended = 0; ended < 7; ended += 1) {
    const next = await until(() => running.shift(), { what: "the next" });
    next.open();
    await until(() => order.length >= Math.min(7, ended + 3), { what: `${ended + 3} begun` });
  }
  await Promise.all(held);
  // a1 and a2 run; a1 ends: b has none. a2 ends: c has none, a has none, a came first. …
  expect(order).toEqual(["a1", "a2", "b1", "a3", "c1", "a4", "b2"]);
}, 30_000);

test("a place whose holder died is free when its lease is over, and so is its thing", async () => {
  const dead = { ...claim(0), waiter: "a dead call" };
  expect(await askPlace(workerOf(0, 1), dead)).toEqual({ kind: "granted" });
  const next = { ...claim(1), waiter: "the next call" };
  expect(await askPlace(workerOf(1, 1), next)).toMatchObject({ kind: "waiting" });
  const again = { ...dead, waiter: "the dead call's successor" };
  expect(await askPlace(workerOf(1, 1), again)).toMatchObject({ kind: "taken" });
  const over = { leasedUntil: sql`clock_timestamp()` };
  await database().db.update(drawingPlaces).set(over).where(eq(drawingPlaces.waiter, dead.waiter));
  expect(await askPlace(workerOf(1, 1), again)).toMatchObject({ kind: "granted" });
  await releasePlace(workerOf(1, 1), { ...again, keepsLease: false });
  expect(await askPlace(workerOf(1, 1), next)).toEqual({ kind: "granted" });
});

test("the database tells every process which call was given a place", async () => {
  const heard: string[] = [];
  const listener = await openListener(database().url, DRAWING_CHANNEL, (waiter) => heard.push(waiter));
  const [first, second] = [
    { ...claim(0), waiter: "here" },
    { ...claim(1), waiter: "elsewhere" },
  ];
  await askPlace(workerOf(0, 1), first);
  await askPlace(workerOf(1, 1), second);
  await releasePlace(workerOf(0, 1), { ...first, keepsLease: false });
  await until(() => heard.includes("elsewhere"), { what: "the word" });
  await listener.close();
});

test("a lease that its holder finds late begins anew", async () => {
  const [held, next] = [
    { ...claim(0), waiter: "first" },
    { ...claim(1), waiter: "late" },
  ];
  const worker = workerOf(0, 1);
  await askPlace(worker, held);
  expect(await askPlace(worker, next)).toMatchObject({ kind: "waiting" });
  await releasePlace(workerOf(1, 1), { ...held, keepsLease: false });
  const { leasedUntil } = drawingPlaces;
  const granted = database()
    .db.update(drawingPlaces)
    .set({ leasedUntil: sql`${leasedUntil} + interval '-1 s'` });
  const [before] = await granted.where(eq(drawingPlaces.waiter, "late")).returning({ leasedUntil });
  expect(await askPlace(worker, next)).toEqual({ kind: "granted" });
  const [after] = await database().db.select({ leasedUntil }).from(drawingPlaces);
  expect(after?.leasedUntil?.getTime()).toBeGreaterThan((before?.leasedUntil?.getTime() ?? Infinity) + 999);
});

test("while places are given one at a time after a pause, who waits asks four times a second at most", async () => {
  const pause = { resumeAt: sql`clock_timestamp()`, pacedUntil: sql`clock_timestamp() + interval '1 hour'`, gapMs: 25 };
  await database()
    .db.insert(drawingPauses)
    .values({ subject: "images", ...pause });
  const worker = workerOf(0, 1);
  expect(await askPlace(worker, { ...claim(0), waiter: "one" })).toEqual({ kind: "granted" });
  const asked = await askPlace(worker, { ...claim(1), waiter: "another" });
  expect(asked.kind === "waiting" && asked.againMs).toBeGreaterThanOrEqual(250);
});

test("who waits but is gone is passed over", async () => {
  const [held, gone, here] = [claim(0, 1), claim(0, 2), claim(0, 3)].map((one, index) => ({
    ...one,
    waiter: `w${index}`,
  }));
  if (!held || !gone || !here) throw new Error("Three were made.");
  const worker = workerOf(0, 1);
  expect(await askPlace(worker, held)).toEqual({ kind: "granted" });
  for (const one of [gone, here]) expect(await askPlace(worker, one)).toMatchObject({ kind: "waiting" });
  const past = { presentUntil: sql`clock_timestamp()` };
  await database().db.update(drawingPlaces).set(past).where(eq(drawingPlaces.waiter, gone.waiter));
  await releasePlace(worker, { ...held, keepsLease: false });
  expect(await askPlace(worker, here)).toEqual({ kind: "granted" });
});

test("a holder that lost its lease is told to end its call", async () => {
  const one = gate();
  const held = holdPlace(workerOf(0, 1), claim(0), one.work);
  const { signal } = await one.entered;
  await database().db.delete(drawingPlaces);
  await until(() => signal.aborted, { what: "the signal", deadlineMs: 30_000 });
  one.open();
  await held;
}, 40_000);

test("a pause holds all, then the refused call goes first, and nobody lost a try", async () => {
  const order: string[] = [];
  let isRefused = true;
  const work = (name: string) => async (): Promise<Drawing<string>> => {
    order.push(name);
    if (!isRefused) return { kind: "done", result: name };
    isRefused = false;
    return { kind: "paused", waitMs: 400 };
  };
  const first = holdPlace(workerOf(0, 1), claim(0, 1), work("first"));
  await until(async () => (await database().db.$count(drawingPauses)) === 1, { what: "the pause" });
  const second = holdPlace(workerOf(1, 1), claim(1, 2), work("second"));
  expect(await Promise.all([first, second])).toEqual([
    { kind: "done", result: "first" },
    { kind: "done", result: "second" },
  ]);
  expect(order).toEqual(["first", "first", "second"]);
}, 30_000);

test("work that throws gives its place back", async () => {
  const worker = workerOf(0, 1);
  await expect(holdPlace(worker, claim(0), () => Promise.reject(new Error("a full disk")))).rejects.toThrow(
    "a full disk",
  );
  expect(await holdPlace(worker, claim(1), done)).toMatchObject({ kind: "done" });
});
