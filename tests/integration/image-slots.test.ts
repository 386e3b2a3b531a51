import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openListener } from "#db/listen.ts";
import { imagePauses, imageSlots } from "#db/schema/generation.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import {
  type HeldSlot,
  IMAGE_SLOT_CHANNEL,
  releaseSlot,
  requestSlot,
  type SlotOutcome,
  withImageSlot,
} from "#lib/features/generation/image-slots.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";

const database = databaseForFile();
/** Two processes without shared memory. */
let harnesses: [TestHarness, TestHarness];
let users: UserId[];

beforeAll(async () => {
  const open = () => createTestHarness({ databaseUrl: database().url, storageDir: "unused" });
  harnesses = [open(), open()];
  users = [];
  for (const harness of [harnesses[0], harnesses[0], harnesses[0]]) users.push((await createUser(harness)).userId);
});
afterAll(() => Promise.all(harnesses.map((harness) => harness.close())));
beforeEach(async () => {
  await database().db.delete(imageSlots);
  await database().db.delete(imagePauses);
});

const contextWithSlots = (harness: 0 | 1, slots: number): FullCtx => {
  const ctx = contextOf(harnesses[harness], { kind: "job", name: "test" });
  return { ...ctx, settings: { ...ctx.settings, imageConcurrency: slots } };
};

let counter = 0;
const slotRequest = (user: number, order = 0) => {
  counter += 1;
  const userId = users[user];
  if (userId === undefined) throw new Error(`There is no user ${user}.`);
  return { reference: `thing-${counter}`, userId, requestedAt: new Date(order) };
};

const done = async (): Promise<SlotOutcome<null>> => ({ kind: "done", result: null });

/** Work that ends when `open` is called. */
const gate = () => {
  const [entered, opened] = [Promise.withResolvers<HeldSlot>(), Promise.withResolvers<void>()];
  const work = async (slot: HeldSlot): Promise<SlotOutcome<null>> => {
    entered.resolve(slot);
    await opened.promise;
    return done();
  };
  return { work, entered: entered.promise, open: () => opened.resolve() };
};

const untilQueued = async (count: number) =>
  until(async () => (await database().db.$count(imageSlots)) === count, { what: `${count} queued` });

test("two processes never hold more slots than there are, and every call gets one", async () => {
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  const work = async (slot: HeldSlot): Promise<SlotOutcome<null>> => {
    now += 1;
    most = Math.max(most, now);
    if (now === 3) full.resolve();
    await full.promise;
    // A database round trip, so that a call that entered too early would show.
    await database().db.execute(sql`select 1`);
    now -= 1;
    await slot.release();
    return done();
  };
  const held = Array.from({ length: 14 }, (_, index) =>
    withImageSlot(contextWithSlots(index % 2 === 0 ? 0 : 1, 3), slotRequest(index % 3), work),
  );
  expect(new Set((await Promise.all(held)).map(({ kind }) => kind))).toEqual(new Set(["done"]));
  expect(most).toBe(3);
  expect(await database().db.$count(imageSlots)).toBe(0);
}, 60_000);

test("of two calls for the same task one runs, and the other is turned away, even after the model has answered", async () => {
  const request = slotRequest(0);
  const first = gate();
  const held = withImageSlot(contextWithSlots(0, 5), request, first.work);
  const slot = await first.entered;
  let hasWorked = false;
  const work = () => {
    hasWorked = true;
    return done();
  };
  const sentAway = await withImageSlot(contextWithSlots(1, 5), request, work);
  expect(sentAway).toMatchObject({ kind: "no_slot", isTaken: true });
  // The retry must not come before a dead call's lease expires.
  expect(sentAway.kind === "no_slot" && sentAway.afterSeconds).toBeGreaterThan(2);
  await slot.release();
  expect(await withImageSlot(contextWithSlots(1, 5), request, work)).toMatchObject({ kind: "no_slot", isTaken: true });
  first.open();
  await held;
  expect(hasWorked).toBe(false);
  expect(await withImageSlot(contextWithSlots(1, 5), request, done)).toMatchObject({ kind: "done" });
});

test("the user with the fewest slots goes next, then the oldest request", async () => {
  const ctx = contextWithSlots(0, 2);
  const order: string[] = [];
  const running: { name: string; open(): void }[] = [];
  const enter = (name: string, user: number, at: number) => {
    const one = gate();
    const work = (slot: HeldSlot) => {
      order.push(name);
      running.push({ name, open: one.open });
      return one.work(slot);
    };
    return withImageSlot(ctx, slotRequest(user, at), work);
  };
  const held = [enter("a1", 0, 1)];
  await until(() => running.length === 1, { what: "the first running" });
  held.push(enter("a2", 0, 2));
  await until(() => running.length === 2, { what: "two running" });
  held.push(enter("a3", 0, 3), enter("a4", 0, 4), enter("b1", 1, 5), enter("c1", 2, 6), enter("b2", 1, 7));
  await untilQueued(7);
  for (let ended = 0; ended < 7; ended += 1) {
    const next = await until(() => running.shift(), { what: "the next" });
    next.open();
    await until(() => order.length >= Math.min(7, ended + 3), { what: `${ended + 3} to start` });
  }
  await Promise.all(held);
  // When a1 ends, user b has no slot. When a2 ends, a and c have none, and a's request is older. And so on.
  expect(order).toEqual(["a1", "a2", "b1", "a3", "c1", "a4", "b2"]);
}, 30_000);

test("a dead holder's slot and task are free when its lease expires", async () => {
  const dead = { ...slotRequest(0), waiter: "a dead call" };
  expect(await requestSlot(contextWithSlots(0, 1), dead)).toEqual({ kind: "granted" });
  const next = { ...slotRequest(1), waiter: "the next call" };
  expect(await requestSlot(contextWithSlots(1, 1), next)).toMatchObject({ kind: "waiting" });
  const again = { ...dead, waiter: "the dead call's successor" };
  expect(await requestSlot(contextWithSlots(1, 1), again)).toMatchObject({ kind: "taken" });
  const over = { leasedUntil: sql`clock_timestamp()` };
  await database().db.update(imageSlots).set(over).where(eq(imageSlots.waiter, dead.waiter));
  expect(await requestSlot(contextWithSlots(1, 1), again)).toMatchObject({ kind: "granted" });
  await releaseSlot(contextWithSlots(1, 1), { ...again, keepsLease: false });
  expect(await requestSlot(contextWithSlots(1, 1), next)).toEqual({ kind: "granted" });
});

test("the database notifies every process of granted slots", async () => {
  const received: string[] = [];
  const listener = await openListener(database().url, IMAGE_SLOT_CHANNEL, (waiter) => received.push(waiter));
  const [first, second] = [
    { ...slotRequest(0), waiter: "here" },
    { ...slotRequest(1), waiter: "elsewhere" },
  ];
  await requestSlot(contextWithSlots(0, 1), first);
  await requestSlot(contextWithSlots(1, 1), second);
  await releaseSlot(contextWithSlots(0, 1), { ...first, keepsLease: false });
  await until(() => received.includes("elsewhere"), { what: "the notification" });
  await listener.close();
});

test("a lease that its holder notices late starts over", async () => {
  const [held, next] = [
    { ...slotRequest(0), waiter: "first" },
    { ...slotRequest(1), waiter: "late" },
  ];
  const ctx = contextWithSlots(0, 1);
  await requestSlot(ctx, held);
  expect(await requestSlot(ctx, next)).toMatchObject({ kind: "waiting" });
  await releaseSlot(contextWithSlots(1, 1), { ...held, keepsLease: false });
  const { leasedUntil } = imageSlots;
  const granted = database()
    .db.update(imageSlots)
    .set({ leasedUntil: sql`${leasedUntil} + interval '-1 s'` });
  const [before] = await granted.where(eq(imageSlots.waiter, "late")).returning({ leasedUntil });
  expect(await requestSlot(ctx, next)).toEqual({ kind: "granted" });
  const [after] = await database().db.select({ leasedUntil }).from(imageSlots);
  expect(after?.leasedUntil?.getTime()).toBeGreaterThan((before?.leasedUntil?.getTime() ?? Infinity) + 999);
});

test("while slots are paced after a pause, waiting calls poll at most four times a second", async () => {
  const pause = { resumeAt: sql`clock_timestamp()`, pacedUntil: sql`clock_timestamp() + interval '1 hour'`, gapMs: 25 };
  await database()
    .db.insert(imagePauses)
    .values({ subject: "images", ...pause });
  const ctx = contextWithSlots(0, 1);
  expect(await requestSlot(ctx, { ...slotRequest(0), waiter: "one" })).toEqual({ kind: "granted" });
  const answer = await requestSlot(ctx, { ...slotRequest(1), waiter: "another" });
  expect(answer.kind === "waiting" && answer.recheckMs).toBeGreaterThanOrEqual(250);
});

test("a waiting call that is gone is skipped", async () => {
  const [held, dead, here] = [slotRequest(0, 1), slotRequest(0, 2), slotRequest(0, 3)].map((one, index) => ({
    ...one,
    waiter: `w${index}`,
  }));
  if (!held || !dead || !here) throw new Error("Three were made.");
  const ctx = contextWithSlots(0, 1);
  expect(await requestSlot(ctx, held)).toEqual({ kind: "granted" });
  for (const one of [dead, here]) expect(await requestSlot(ctx, one)).toMatchObject({ kind: "waiting" });
  const past = { presentUntil: sql`clock_timestamp()` };
  await database().db.update(imageSlots).set(past).where(eq(imageSlots.waiter, dead.waiter));
  await releaseSlot(ctx, { ...held, keepsLease: false });
  expect(await requestSlot(ctx, here)).toEqual({ kind: "granted" });
});

test("a holder that lost its lease is aborted", async () => {
  const one = gate();
  const held = withImageSlot(contextWithSlots(0, 1), slotRequest(0), one.work);
  const { signal } = await one.entered;
  await database().db.delete(imageSlots);
  await until(() => signal.aborted, { what: "the signal", deadlineMs: 30_000 });
  one.open();
  await held;
}, 40_000);

test("a pause stops all calls, then the rejected call goes first, and no attempt is lost", async () => {
  const order: string[] = [];
  let isRefused = true;
  const work = (name: string) => async (): Promise<SlotOutcome<string>> => {
    order.push(name);
    if (!isRefused) return { kind: "done", result: name };
    isRefused = false;
    return { kind: "paused", waitMs: 400 };
  };
  const first = withImageSlot(contextWithSlots(0, 1), slotRequest(0, 1), work("first"));
  await until(async () => (await database().db.$count(imagePauses)) === 1, { what: "the pause" });
  const second = withImageSlot(contextWithSlots(1, 1), slotRequest(1, 2), work("second"));
  expect(await Promise.all([first, second])).toEqual([
    { kind: "done", result: "first" },
    { kind: "done", result: "second" },
  ]);
  expect(order).toEqual(["first", "first", "second"]);
}, 30_000);

test("work that throws releases its slot", async () => {
  const ctx = contextWithSlots(0, 1);
  await expect(withImageSlot(ctx, slotRequest(0), () => Promise.reject(new Error("a full disk")))).rejects.toThrow(
    "a full disk",
  );
  expect(await withImageSlot(ctx, slotRequest(1), done)).toMatchObject({ kind: "done" });
});
