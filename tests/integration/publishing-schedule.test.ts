import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { SWEEP_BATCH, TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin } from "#lib/features/publishing/publisher.ts";
import { removeAccount, sweepPins } from "#lib/features/publishing/queue.ts";
import { scheduleBatch, unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const draftsOf = (maker: Maker, count: number) => Promise.all(Array.from({ length: count }, () => world.draft(maker)));

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("schedule-batch", () => {
  test("R-SCH-09 A-34 A-35 R-ENT-11 the first at once, then by interval, in the order given", async () => {
    const maker = await world.makeMaker();
    const [a, b, c] = (await draftsOf(maker, 3)) as [never, never, never];
    const before = world.job().now();
    const last = await world.schedule(maker, [c, a, b], 90);
    const [first, second, third] = [await world.pin(c), await world.pin(a), await world.pin(b)];
    const start = first.scheduledAt?.getTime() ?? 0;
    expect(start).toBeGreaterThanOrEqual(before.getTime());
    expect(start).toBeLessThanOrEqual(world.job().now().getTime());
    expect(second.scheduledAt?.getTime()).toBe(start + 90 * MINUTE_MS);
    expect(third.scheduledAt).toEqual(last);
    expect(last.getTime()).toBe(start + 180 * MINUTE_MS);
    expect(first).toMatchObject({ status: "scheduled", scheduleGeneration: 1, batchId: second.batchId, reason: null });
    // D9: that the user chose this very pin is on record.
    expect(first.chosenAt).not.toBeNull();
  });

  test("sends one event per pin under an id with the schedule's generation", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker);
    await world.schedule(maker, [pinId]);
    const event = { name: "pins/publish.requested", data: { pinId, accountId: maker.account.id } };
    expect(world.house.sentEvents.filter(({ name }) => name === event.name)).toMatchObject([
      { ...event, id: `publish:${pinId}:1`, data: { ...event.data, scheduleGeneration: 1 } },
    ]);
    await unschedulePin(maker.ctx, { pinId });
    await world.schedule(maker, [pinId]);
    expect(world.house.sentEvents.at(-1)).toMatchObject({ id: `publish:${pinId}:2` });
    // The event of the first schedule, should it come late, does nothing.
    const superseded = { kind: "done", result: "superseded" };
    expect(await claimPin(world.job(), { pinId, scheduleGeneration: 1 })).toEqual(superseded);
  });

  test("R-SCH-10 one id that is not the caller's own draft: nothing changes", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [own, scheduled] = (await draftsOf(maker, 2)) as [never, never];
    const foreign = await world.draft(stranger);
    await world.schedule(maker, [scheduled]);
    const eventsBefore = world.house.sentEvents.length;
    const attempt = (pinIds: string[]) => scheduleBatch(maker.ctx, { pinIds, intervalMinutes: 60, start: null });
    await expect(attempt([own, foreign])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, "pin_00000000000000000000000000"])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, "nonsense"])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, scheduled])).rejects.toEqual(code("wrong_state"));
    expect(await world.pin(own)).toMatchObject({ status: "draft", scheduledAt: null, scheduleGeneration: 0 });
    expect(await world.pin(foreign)).toMatchObject({ status: "draft" });
    expect(world.house.sentEvents).toHaveLength(eventsBefore);
  });

  test("R-SCH-10 fifty identical schedules at once: one wins, the pins have one plan", async () => {
    const maker = await world.makeMaker();
    const pinIds = await draftsOf(maker, 5);
    const eventsBefore = world.house.sentEvents.length;
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => world.schedule(maker, pinIds)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(["wrong_state"]));
    const rows = await Promise.all(pinIds.map((id) => world.pin(id)));
    expect(new Set(rows.map(({ batchId }) => batchId)).size).toBe(1);
    expect(rows.every(({ scheduleGeneration }) => scheduleGeneration === 1)).toBe(true);
    expect(world.house.sentEvents).toHaveLength(eventsBefore + 5);
  });

  test("batches that overlap in opposite order do not block each other: one wins whole", async () => {
    const maker = await world.makeMaker();
    const pinIds = await draftsOf(maker, 6);
    const orders = Array.from({ length: 12 }, (_, k) => (k % 2 ? pinIds.slice(0, 4).reverse() : pinIds.slice(2)));
    const results = await Promise.allSettled(orders.map((ids) => world.schedule(maker, ids)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const rows = await Promise.all(pinIds.map((id) => world.pin(id)));
    expect(rows.filter(({ status }) => status === "scheduled")).toHaveLength(4);
  });

  test("R-SCH-09 A-34 a start may lie ahead; one that has just passed means now, others are refused and change nothing", async () => {
    const maker = await world.makeMaker();
    const [a, b, c] = (await draftsOf(maker, 3)) as [never, never, never];
    const now = world.job().now().getTime();
    const at = (id: string, ms: number) =>
      scheduleBatch(maker.ctx, { pinIds: [id], intervalMinutes: 1, start: new Date(now + ms) });
    expect(await at(a, DAY_MS)).toEqual({ lastPublishAt: new Date(now + DAY_MS) });
    expect((await at(b, -MINUTE_MS / 2)).lastPublishAt.getTime()).toBeGreaterThanOrEqual(now);
    for (const ms of [400 * DAY_MS, -2 * MINUTE_MS, -DAY_MS]) await expect(at(c, ms)).rejects.toEqual(code("invalid"));
    expect(await world.pin(c)).toMatchObject({ status: "draft", scheduledAt: null });
    await at(c, 300 * DAY_MS);
    const claims = [a, c].map((pinId) => claimPin(world.job(), { pinId, scheduleGeneration: 1 }));
    const [due, far] = (await Promise.all(claims)).map((claim) => (claim.kind === "wait" ? claim.afterMs : 0));
    expect(due).toBeGreaterThan(DAY_MS - MINUTE_MS);
    expect(due).toBeLessThanOrEqual(DAY_MS);
    // Engines limit a single sleep: a run naps towards a distant day.
    expect(far).toBeLessThan(7 * DAY_MS);
  });

  test.each([
    ["ahead", 10 * MINUTE_MS],
    ["behind", -10 * MINUTE_MS],
  ])("R-SRV-03 a worker's clock ten minutes %s makes no pin early and none late", async (_, skewMs) => {
    const maker = await world.makeMaker();
    const [soon, due] = (await draftsOf(maker, 2)) as [never, never];
    world.skewOther(skewMs);
    const start = new Date(world.job().now().getTime() + 5 * MINUTE_MS);
    await scheduleBatch(maker.ctx, { pinIds: [soon], intervalMinutes: 1, start });
    await world.schedule(maker, [due]);
    const claim = (pinId: never) => claimPin(world.job("other"), { pinId, scheduleGeneration: 1 });
    const early = await claim(soon);
    expect(early.kind === "wait" && early.afterMs).toBeGreaterThan(4 * MINUTE_MS);
    expect((await claim(due)).kind).toBe("attempt");
    // Neither is the other one forgotten, nor looked for too soon.
    await sweepPins(world.job("other"));
    expect((await world.pin(soon)).sweeps).toBe(0);
    await world.moveClock(5 * MINUTE_MS);
    expect((await claim(soon)).kind).toBe("attempt");
  });

  test("the engine is down: the user's schedule holds, and the sweep sends the event under another id", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker);
    world.house.failNextSend();
    await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 1, start: new Date(Date.now() + 3 * HOUR_MS) });
    const sent = () => world.house.sentEvents.filter(({ id }) => id.startsWith(`publish:${pinId}`)).map(({ id }) => id);
    expect(sent()).toEqual([]);
    await world.moveClock(2 * MINUTE_MS);
    world.house.failNextSend();
    await expect(sweepPins(world.job())).rejects.toThrow();
    await sweepPins(world.job());
    expect(sent()).toEqual([`publish:${pinId}:1:sweep2`]);
    // Not due for hours, and in the engine's hands now: the next sweeps leave it alone.
    await world.moveClock(HOUR_MS);
    await sweepPins(world.job());
    expect(sent()).toHaveLength(1);
    expect((await claimPin(world.job(), { pinId, scheduleGeneration: 1 })).kind).toBe("wait");
  });
});

test("R-SRV-03 the sweep finds all pins that nobody works on, however many", async () => {
  const maker = await world.makeMaker();
  const ctx = world.job();
  const model = await world.house.database.db.query.pins.findFirst({ where: eq(pins.id, await world.draft(maker)) });
  if (!model) throw new Error("The draft is gone.");
  const at = new Date(ctx.now().getTime() - HOUR_MS);
  const rows = Array.from({ length: SWEEP_BATCH + 1 }, () => {
    return { ...model, id: ctx.newId("pin"), status: "scheduled" as const, scheduledAt: at, wakeAt: at };
  });
  await world.house.database.db.insert(pins).values(rows);
  const { sent } = await sweepPins(ctx);
  await world.house.database.db.delete(pins).where(eq(pins.accountId, maker.account.id));
  expect(sent).toBeGreaterThanOrEqual(rows.length);
  const events = new Set(world.house.sentEvents.map(({ id }) => id));
  expect(rows.filter(({ id }) => !events.has(`publish:${id}:0:sweep1`))).toEqual([]);
});

describe("A-13 removing an account", () => {
  test("scheduled pins become drafts with a reason, published ones stay, tokens are gone", async () => {
    const maker = await world.makeMaker();
    const [due, later] = [await world.scheduled(maker), await world.scheduled(maker)];
    const published = await world.scheduled(maker);
    await world.drive(published);
    await claimPin(world.job(), due);
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    for (const { pinId } of [due, later]) {
      expect(await world.pin(pinId)).toMatchObject({
        status: "draft",
        reason: TEXTS.accountRemoved,
        scheduledAt: null,
      });
    }
    expect(await world.pin(published.pinId)).toMatchObject({ status: "published" });
    const [account] = await world.house.database.db.query.pinterestAccounts.findMany({
      where: (row) => eq(row.id, maker.account.id),
    });
    expect(account).toMatchObject({ status: "removed", accessTokenSealed: null, refreshTokenSealed: null });
    await expect(removeAccount(maker.ctx, { accountId: maker.account.id })).rejects.toEqual(code("not_found"));
    await expect(world.schedule(maker, [due.pinId])).rejects.toEqual(code("not_found"));
    expect(await claimPin(world.job(), due)).toMatchObject({ result: "superseded" });
  });

  test("an unclear pin becomes a marked draft", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const where = { account: maker.account.username };
    await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await world.pinterest.strike({ match: "GET /v5/boards/:id/pins", status: 200, body: { items: [] }, where });
    await world.drive(scheduled, { naps: 1 });
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    expect(await world.pin(scheduled.pinId)).toMatchObject({
      status: "draft",
      mayBePublished: true,
      reason: TEXTS.removedUnclear,
    });
    expect(await world.drive(scheduled)).toMatchObject({ result: "superseded" });
  });

  test("removal and scheduling at once: no pin stays scheduled without an account", async () => {
    const maker = await world.makeMaker();
    const pinIds = await draftsOf(maker, 8);
    await Promise.allSettled([
      ...pinIds.map((id) => world.schedule(maker, [id])),
      removeAccount(maker.ctx, { accountId: maker.account.id }),
    ]);
    const rows = await world.house.database.db.select().from(pins).where(eq(pins.accountId, maker.account.id));
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "draft"));
  });
});
