import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { START_BATCH, TEXTS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { claimPin } from "#lib/features/publishing/publisher.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { scheduleAt, scheduleBatch, unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const draftsOf = (creator: Creator, count: number) =>
  Promise.all(Array.from({ length: count }, () => setup.draft(creator)));

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("schedule-batch", () => {
  test("R-SCH-09 A-34 A-35 R-ENT-11 the first pin at once, then by interval, in the given order", async () => {
    const creator = await setup.insertCreator();
    const [a, b, c] = (await draftsOf(creator, 3)) as [never, never, never];
    const before = setup.job().now();
    const last = await setup.schedule(creator, [c, a, b], 90);
    const [first, second, third] = [await setup.pin(c), await setup.pin(a), await setup.pin(b)];
    const start = first.scheduledAt?.getTime() ?? 0;
    expect(start).toBeGreaterThanOrEqual(before.getTime());
    expect(start).toBeLessThanOrEqual(setup.job().now().getTime());
    expect(second.scheduledAt?.getTime()).toBe(start + 90 * MINUTE_MS);
    expect(third.scheduledAt).toEqual(last);
    expect(last.getTime()).toBe(start + 180 * MINUTE_MS);
    expect(first).toMatchObject({ status: "scheduled", scheduleGeneration: 1, batchId: second.batchId, reason: null });
    // The user's choice of this pin is recorded.
    expect(first.chosenAt).not.toBeNull();
  });

  test("sends one event per due pin, whose id contains the schedule generation", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator);
    await setup.schedule(creator, [pinId]);
    const event = { name: "pins/publish.requested", data: { pinId, accountId: creator.account.id } };
    expect(setup.harness.sentEvents.filter(({ name }) => name === event.name)).toMatchObject([
      { ...event, id: expect.stringMatching(`^publish:${pinId}:1:`), data: { ...event.data, scheduleGeneration: 1 } },
    ]);
    await unschedulePin(creator.ctx, { pinId });
    await setup.schedule(creator, [pinId]);
    expect(setup.harness.sentEvents.at(-1)).toMatchObject({ id: expect.stringMatching(`^publish:${pinId}:2:`) });
    // A late event of the first schedule does nothing.
    const superseded = { kind: "done", result: "superseded" };
    expect(await claimPin(setup.job(), { pinId, scheduleGeneration: 1 })).toEqual(superseded);
  });

  test("R-SCH-10 one id that is not a draft of the user's: nothing changes", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [own, scheduled] = (await draftsOf(creator, 2)) as [never, never];
    const foreign = await setup.draft(stranger);
    await setup.schedule(creator, [scheduled]);
    const eventsBefore = setup.harness.sentEvents.length;
    const attempt = (pinIds: string[]) => scheduleBatch(creator.ctx, { pinIds, intervalMinutes: 60, start: null });
    await expect(attempt([own, foreign])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, "pin_00000000000000000000000000"])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, "nonsense"])).rejects.toEqual(code("not_found"));
    await expect(attempt([own, scheduled])).rejects.toEqual(code("wrong_state"));
    expect(await setup.pin(own)).toMatchObject({ status: "draft", scheduledAt: null, scheduleGeneration: 0 });
    expect(await setup.pin(foreign)).toMatchObject({ status: "draft" });
    expect(setup.harness.sentEvents).toHaveLength(eventsBefore);
  });

  test("R-SCH-10 fifty identical concurrent schedules: one wins, and the pins have one plan", async () => {
    const creator = await setup.insertCreator();
    const pinIds = await draftsOf(creator, 5);
    const eventsBefore = setup.harness.sentEvents.length;
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => setup.schedule(creator, pinIds)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(["wrong_state"]));
    const rows = await Promise.all(pinIds.map((id) => setup.pin(id)));
    expect(new Set(rows.map(({ batchId }) => batchId)).size).toBe(1);
    expect(rows.every(({ scheduleGeneration }) => scheduleGeneration === 1)).toBe(true);
    // One pin is due at once, the others hours later.
    expect(setup.harness.sentEvents).toHaveLength(eventsBefore + 1);
  });

  test("overlapping batches in opposite order do not deadlock: one wins completely", async () => {
    const creator = await setup.insertCreator();
    const pinIds = await draftsOf(creator, 6);
    const orders = Array.from({ length: 12 }, (_, k) => (k % 2 ? pinIds.slice(0, 4).reverse() : pinIds.slice(2)));
    const results = await Promise.allSettled(orders.map((ids) => setup.schedule(creator, ids)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const rows = await Promise.all(pinIds.map((id) => setup.pin(id)));
    expect(rows.filter(({ status }) => status === "scheduled")).toHaveLength(4);
  });

  test("R-SCH-09 A-34 accepts a later start; one that just passed means now, others are refused and change nothing", async () => {
    const creator = await setup.insertCreator();
    const [a, b, c] = (await draftsOf(creator, 3)) as [never, never, never];
    const now = setup.job().now().getTime();
    const at = (id: string, ms: number) =>
      scheduleBatch(creator.ctx, { pinIds: [id], intervalMinutes: 1, start: new Date(now + ms) });
    expect(await at(a, DAY_MS)).toMatchObject({ lastPublishAt: new Date(now + DAY_MS) });
    expect((await at(b, -MINUTE_MS / 2)).lastPublishAt.getTime()).toBeGreaterThanOrEqual(now);
    for (const ms of [400 * DAY_MS, -2 * MINUTE_MS, -DAY_MS]) await expect(at(c, ms)).rejects.toEqual(code("invalid"));
    expect(await setup.pin(c)).toMatchObject({ status: "draft", scheduledAt: null });
    await at(c, 300 * DAY_MS);
    const claims = [a, c].map((pinId) => claimPin(setup.job(), { pinId, scheduleGeneration: 1 }));
    const [due, far] = (await Promise.all(claims)).map((claim) => (claim.kind === "wait" ? claim.afterMs : 0));
    expect(due).toBeGreaterThan(DAY_MS - MINUTE_MS);
    expect(due).toBeLessThanOrEqual(DAY_MS);
    expect(far).toBeGreaterThan(299 * DAY_MS);
  });

  test.each([
    ["ahead", 10 * MINUTE_MS],
    ["behind", -10 * MINUTE_MS],
  ])("R-SRV-03 a worker's clock ten minutes %s makes no pin early or late", async (_, skewMs) => {
    const creator = await setup.insertCreator();
    const [soon, due] = (await draftsOf(creator, 2)) as [never, never];
    setup.skewOther(skewMs);
    const start = new Date(setup.job().now().getTime() + 5 * MINUTE_MS);
    await scheduleBatch(creator.ctx, { pinIds: [soon], intervalMinutes: 1, start });
    await setup.schedule(creator, [due]);
    const claim = (pinId: never) => claimPin(setup.job("other"), { pinId, scheduleGeneration: 1 });
    const early = await claim(soon);
    expect(early.kind === "wait" && early.afterMs).toBeGreaterThan(4 * MINUTE_MS);
    expect((await claim(due)).kind).toBe("attempt");
    // The scan must not start a pin that is not due soon.
    await startDuePins(setup.job("other"));
    expect((await setup.pin(soon)).sweeps).toBe(0);
    await setup.moveClock(5 * MINUTE_MS);
    expect((await claim(soon)).kind).toBe("attempt");
  });
});

test("R-SRV-03 the scan finds all due pins, however many", async () => {
  const creator = await setup.insertCreator();
  const ctx = setup.job();
  const model = await setup.harness.database.db.query.pins.findFirst({
    where: eq(pins.id, await setup.draft(creator)),
  });
  if (!model) throw new Error("The draft is gone.");
  const at = new Date(ctx.now().getTime() - HOUR_MS);
  const rows = Array.from({ length: START_BATCH + 1 }, () => {
    return { ...model, id: ctx.newId("pin"), status: "scheduled" as const, scheduledAt: at, wakeAt: at };
  });
  await setup.harness.database.db.insert(pins).values(rows);
  const { started } = await startDuePins(ctx);
  await setup.harness.database.db.delete(pins).where(eq(pins.accountId, creator.account.id));
  expect(started).toBeGreaterThanOrEqual(rows.length);
  const sent = new Set(setup.harness.sentEvents.map(({ data }) => ("pinId" in data ? data.pinId : "")));
  expect(rows.filter(({ id }) => !sent.has(id))).toEqual([]);
});

describe("A-13 removing an account", () => {
  test("scheduled pins become drafts with a reason, published ones stay, tokens are deleted", async () => {
    const creator = await setup.insertCreator();
    const [due, later] = [await setup.scheduled(creator), await setup.scheduled(creator)];
    const published = await setup.scheduled(creator);
    await setup.drive(published);
    await claimPin(setup.job(), due);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    for (const { pinId } of [due, later]) {
      expect(await setup.pin(pinId)).toMatchObject({
        status: "draft",
        reason: TEXTS.accountRemoved,
        scheduledAt: null,
      });
    }
    expect(await setup.pin(published.pinId)).toMatchObject({ status: "published" });
    const [account] = await setup.harness.database.db.query.pinterestAccounts.findMany({
      where: (row) => eq(row.id, creator.account.id),
    });
    expect(account).toMatchObject({ status: "removed", accessTokenSealed: null, refreshTokenSealed: null });
    await expect(removeAccount(creator.ctx, { accountId: creator.account.id })).rejects.toEqual(code("not_found"));
    await expect(setup.schedule(creator, [due.pinId])).rejects.toEqual(code("not_found"));
    expect(await claimPin(setup.job(), due)).toMatchObject({ result: "superseded" });
  });

  test("a pin with an unknown outcome becomes a marked draft", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating", where });
    await setup.pinterest.addFault({ match: "GET /v5/boards/:id/pins", status: 200, body: { items: [] }, where });
    await setup.drive(scheduled, { rounds: 1 });
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    expect(await setup.pin(scheduled.pinId)).toMatchObject({
      status: "draft",
      mayBePublished: true,
      reason: TEXTS.removedUnclear,
    });
    expect(await setup.drive(scheduled)).toMatchObject({ result: "superseded" });
  });

  test("concurrent removal and scheduling: no pin stays scheduled without an account", async () => {
    const creator = await setup.insertCreator();
    const pinIds = await draftsOf(creator, 8);
    await Promise.allSettled([
      ...pinIds.map((id) => setup.schedule(creator, [id])),
      removeAccount(creator.ctx, { accountId: creator.account.id }),
    ]);
    const rows = await setup.harness.database.db.select().from(pins).where(eq(pins.accountId, creator.account.id));
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "draft"));
  });
});

describe("scheduling each pin for its own time", () => {
  const inHours = (hours: number) => new Date(setup.job().now().getTime() + hours * HOUR_MS);

  test("each draft gets its time in one schedule, and a time that just passed is now", async () => {
    const creator = await setup.insertCreator();
    const [a, b, c] = (await draftsOf(creator, 3)) as [never, never, never];
    const [late, early] = [inHours(50), inHours(2.5)];
    const slots = [
      { id: a, dueAt: late },
      { id: b, dueAt: early },
      { id: c, dueAt: inHours(-0.01) },
    ];
    const { batchId, lastPublishAt } = await scheduleAt(creator.ctx, slots);
    expect(lastPublishAt).toEqual(late);
    const [first, second, third] = [await setup.pin(a), await setup.pin(b), await setup.pin(c)];
    expect([first.scheduledAt, second.scheduledAt]).toEqual([late, early]);
    for (const pin of [first, second, third]) {
      expect(pin).toMatchObject({ status: "scheduled", batchId, scheduleGeneration: 1, wakeAt: expect.any(Date) });
    }
    expect(third.scheduledAt?.getTime()).toBeGreaterThan(inHours(-0.01).getTime());
    expect(setup.harness.sentEvents.at(-1)).toMatchObject({ data: { pinId: c } });
  });

  test("all or none: a bad time, a pin twice, one that is no draft, or a failure alongside changes nothing", async () => {
    const creator = await setup.insertCreator();
    const [own, other, taken] = (await draftsOf(creator, 3)) as [never, never, never];
    await setup.schedule(creator, [taken]);
    const good = { id: own, dueAt: inHours(1) };
    const refused = [
      [[], "invalid"],
      [[good, { id: other, dueAt: inHours(-1) }], "invalid"],
      [[good, { id: other, dueAt: inHours(24 * 400) }], "invalid"],
      [[good, { id: own, dueAt: inHours(2) }], "invalid"],
      [[good, { id: taken, dueAt: inHours(2) }], "wrong_state"],
      [[good, { id: "pin_missing", dueAt: inHours(2) }], "not_found"],
    ] as const;
    for (const [slots, problem] of refused) {
      await expect(scheduleAt(creator.ctx, slots)).rejects.toEqual(code(problem));
    }
    const failing = () => Promise.reject(new Error("The reason could not be kept."));
    await expect(scheduleAt(creator.ctx, [good], failing)).rejects.toThrow("could not be kept");
    expect(await setup.pin(own)).toMatchObject({ status: "draft", scheduleGeneration: 0, scheduledAt: null });
  });
});
