import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { databaseTime, inTransaction } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { SPAM_PAUSE_MS, TEXTS } from "#lib/features/publishing/constants.ts";
import { advancePin, claimPin } from "#lib/features/publishing/publisher.ts";
import { markRestored } from "#lib/features/publishing/reconciliation.ts";
import { publishNow } from "#lib/features/publishing/retries.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

/** Pins planned at a fixed interval, the first one for now. */
const planned = async (creator: Creator, count: number, intervalMinutes: number): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await setup.draft(creator, { title: `Planned ${n}` }));
  await scheduleBatch(creator.ctx, { pinIds: ids, intervalMinutes, start: null });
  return ids;
};

const scheduled = (pinId: PinId, scheduleGeneration = 1) => ({ pinId, scheduleGeneration });

/** Runs each pin as its durable function would: now, and again whenever its wait is over. Returns when each went out. */
const runAll = async (creator: Creator, ids: readonly PinId[], untilMs: number): Promise<number[]> => {
  const started = (await setup.pin(ids[0] as PinId)).scheduledAt?.getTime() ?? 0;
  const waits = new Map<PinId, number>(ids.map((id) => [id, 0]));
  const sentAt = new Map<PinId, number>();
  let elapsedMs = 0;
  while (waits.size > 0 && elapsedMs <= untilMs) {
    const next = Math.min(...waits.values());
    if (next > elapsedMs) await setup.moveClock(next - elapsedMs);
    elapsedMs = Math.max(elapsedMs, next);
    for (const [id, at] of [...waits]) {
      if (at > elapsedMs) continue;
      const { scheduleGeneration } = await setup.pin(id);
      const due = { ...scheduled(id, scheduleGeneration), accountId: creator.account.id };
      const move = await advancePin(setup.job(), due);
      if (move.kind === "done") {
        waits.delete(id);
        sentAt.set(id, (await setup.pin(id)).publishedAt?.getTime() ?? 0);
      } else waits.set(id, elapsedMs + move.afterMs);
    }
  }
  return ids.flatMap((id) => (sentAt.has(id) ? [((sentAt.get(id) ?? 0) - started) / MINUTE_MS] : []));
};

const gapsOf = (minutes: readonly number[]): number[] => minutes.slice(1).map((at, n) => at - (minutes[n] ?? 0));

test("R-SRV-03 overdue pins go out in order at their planned interval, and the others on time", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 10, 6 * 60);
  await setup.moveClock(40 * HOUR_MS);
  const sent = await runAll(creator, ids, 10 * DAY_MS);
  expect(sent).toHaveLength(10);
  const overdue = sent.slice(0, 7);
  expect(overdue[0]).toBeCloseTo(40 * 60, -1);
  for (const gap of gapsOf(overdue)) expect(gap).toBeGreaterThanOrEqual(6 * 60 - 0.1);
  for (const [n, at] of sent.slice(7).entries()) expect(Math.abs(at - (n + 7) * 6 * 60)).toBeLessThan(1);
});

test("R-SRV-03 after a spam pause the pins that fell into it do not go out at once", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 4, 60);
  await setup.pinterest.addFault({
    match: CREATE,
    scenario: "spam-block",
    where: { account: creator.account.username },
  });
  const sent = await runAll(creator, ids, 3 * DAY_MS);
  expect(sent[0]).toBeGreaterThanOrEqual(SPAM_PAUSE_MS / MINUTE_MS);
  for (const gap of gapsOf(sent)) expect(gap).toBeGreaterThanOrEqual(59.9);
});

test("R-SRV-03 pins that became overdue before a backup was restored go out at their planned interval, and the others on time", async () => {
  const creator = await setup.insertCreator();
  const takenAt = await databaseTime(setup.job());
  const ids = await planned(creator, 6, 6 * 60);
  await setup.moveClock(20 * HOUR_MS);
  expect(await inTransaction(setup.job(), (tx) => markRestored(tx, { takenAt }))).toMatchObject({ scheduled: 6 });
  const sent = await runAll(creator, ids, 10 * DAY_MS);
  expect(sent).toHaveLength(6);
  expect(sent[0]).toBeGreaterThanOrEqual(20 * 60);
  for (const gap of gapsOf(sent.slice(0, 4))) expect(gap).toBeGreaterThanOrEqual(6 * 60 - 0.1);
  for (const [n, at] of sent.slice(4).entries()) expect(Math.abs(at - (n + 4) * 6 * 60)).toBeLessThan(2);
});

test("R-SRV-03 two workers cannot both start an overdue pin of one account", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 6, 30);
  await setup.moveClock(DAY_MS);
  const claims = await Promise.all(
    ids.map((id, n) => claimPin(setup.job(n % 2 === 0 ? undefined : "other"), scheduled(id))),
  );
  expect(claims.filter(({ kind }) => kind === "attempt")).toHaveLength(1);
  expect(claims[0]?.kind === "attempt" || claims.every(({ kind }) => kind !== "done")).toBe(true);
  const started = claims.findIndex(({ kind }) => kind === "attempt");
  const waits = claims.flatMap((claim) => (claim.kind === "wait" ? [claim.afterMs / MINUTE_MS] : []));
  expect((await setup.pin(ids[(started + 1) % 6] as PinId)).reason).toBe(TEXTS.overdue);
  // Each waits a planned gap for each pin ahead of it, and none a day.
  expect(Math.min(...waits)).toBeGreaterThan(29);
  expect(Math.max(...waits)).toBeLessThan(6 * 30 + 1);
});

test("R-SRV-03 a gap of weeks counts as a day", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 3, 7 * 24 * 60);
  await setup.moveClock(30 * DAY_MS);
  const gaps = gapsOf(await runAll(creator, ids, 20 * DAY_MS));
  expect(gaps).toHaveLength(2);
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(24 * 60 - 0.1);
    expect(gap).toBeLessThan(25 * 60);
  }
});

test("R-SRV-03 publish now sends an overdue pin at once", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 3, 6 * 60);
  await setup.moveClock(2 * DAY_MS);
  const [first, , last] = ids as [PinId, PinId, PinId];
  expect((await claimPin(setup.job(), scheduled(first))).kind).toBe("attempt");
  expect((await claimPin(setup.job(), scheduled(last))).kind).toBe("wait");
  await publishNow(creator.ctx, { pinId: last });
  expect((await claimPin(setup.job(), scheduled(last, 2))).kind).toBe("attempt");
});

test("R-SRV-03 a pin that is a minute late is not held back", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 2, 1);
  await setup.moveClock(MINUTE_MS + 30_000);
  for (const id of ids) expect((await claimPin(setup.job(), scheduled(id))).kind).toBe("attempt");
});

test("R-SRV-03 an account that needs reconnecting holds its overdue pins, with that reason", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 2, 60);
  await setup.moveClock(DAY_MS);
  const { db } = setup.harness.database;
  await db
    .update(pinterestAccounts)
    .set({ status: "reconnect_needed" })
    .where(eq(pinterestAccounts.id, creator.account.id));
  for (const id of ids) {
    expect(await claimPin(setup.job(), scheduled(id))).toEqual({ kind: "done", result: "held" });
    expect((await setup.pin(id)).reason).toBe(TEXTS.reconnectNeeded);
  }
  const rows = await db.select({ wakeAt: pins.wakeAt }).from(pins).where(eq(pins.accountId, creator.account.id));
  expect(rows.every(({ wakeAt }) => wakeAt !== null && wakeAt <= addMs(setup.harness.now(), MINUTE_MS))).toBe(true);
});

test("R-SRV-03 a pin does not wait forever for an earlier one whose run was lost", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 3, 60);
  await setup.moveClock(DAY_MS);
  const [, second, third] = ids as [PinId, PinId, PinId];
  const sent = await runAll(creator, [second, third], 2 * DAY_MS);
  expect(sent).toHaveLength(2);
  expect(gapsOf(sent)[0]).toBeGreaterThanOrEqual(59.9);
});

test("R-SRV-03 board checks of restored pins do not count as sent pins", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 3, 6 * 60);
  await setup.moveClock(2 * DAY_MS);
  const [first, ...others] = ids as [PinId, PinId, PinId];
  const { db } = setup.harness.database;
  for (const id of others) await db.update(pins).set({ mayBePublished: true }).where(eq(pins.id, id));
  for (const id of others) expect((await claimPin(setup.job(), scheduled(id))).kind).toBe("attempt");
  expect((await claimPin(setup.job(), scheduled(first))).kind).toBe("attempt");
});

test("R-SRV-03 pins behind one that waits for the storage wait a planned gap, not a day", async () => {
  const creator = await setup.insertCreator();
  const ids = await planned(creator, 3, 60);
  await setup.moveClock(DAY_MS);
  const [first, second] = ids as [PinId, PinId, PinId];
  expect((await claimPin(setup.job(), scheduled(first))).kind).toBe("attempt");
  const claim = await claimPin(setup.job("other"), scheduled(second));
  expect(claim).toEqual({ kind: "wait", afterMs: expect.any(Number) });
  expect(claim.kind === "wait" && claim.afterMs / MINUTE_MS).toBeCloseTo(60, 0);
});
