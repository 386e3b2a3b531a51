import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { inTransaction } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { claimPin } from "#lib/features/publishing/publisher.ts";
import { countOverdue, publishRest } from "#lib/features/publishing/retries.ts";
import { moveInTransaction, reschedulePin, scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

/** Pins planned six hours apart whose times have passed, except the last one's. */
const overduePins = async (creator: Creator, count: number): Promise<PinId[]> => {
  const pinIds: PinId[] = [];
  for (let n = 0; n <= count; n += 1) pinIds.push(await setup.draft(creator));
  await scheduleBatch(creator.ctx, { pinIds, intervalMinutes: 360, start: null });
  await setup.moveClock((count - 1) * 6 * HOUR_MS + HOUR_MS);
  return pinIds;
};

const input = ({ account }: Creator) => ({ accountId: account.id });
const timesOf = (ids: readonly PinId[]) =>
  Promise.all(ids.map(async (id) => (await setup.pin(id)).scheduledAt?.getTime() ?? 0));
const current = async (pinId: PinId) => ({ pinId, scheduleGeneration: (await setup.pin(pinId)).scheduleGeneration });

test("R-SRV-03 the rest is published a minute apart in its order, once each; later pins keep their time", async () => {
  const creator = await setup.insertCreator();
  const ids = await overduePins(creator, 4);
  const [future] = await timesOf(ids.slice(4));
  expect(await countOverdue(creator.ctx, input(creator))).toBe(4);
  const start = setup.job().now().getTime();
  expect(await publishRest(creator.ctx, input(creator))).toEqual({ moved: 4 });
  const times = await timesOf(ids);
  expect(times.slice(0, 4).map((at) => Math.round((at - start) / MINUTE_MS))).toEqual([0, 1, 2, 3]);
  expect(times[4]).toBe(future);
  expect(await countOverdue(creator.ctx, input(creator))).toBe(0);
  // A second press finds nothing to move.
  expect(await publishRest(creator.ctx, input(creator))).toEqual({ moved: 0 });
  for (const id of ids.slice(0, 4)) expect(await setup.drive(await current(id))).toMatchObject({ result: "published" });
  expect(await setup.publicPins(creator)).toHaveLength(4);
});

test("minutes that the account's other pins have are left to them", async () => {
  const creator = await setup.insertCreator();
  const ids = await overduePins(creator, 4);
  const start = setup.job().now().getTime();
  const planned = await setup.draft(creator);
  const at = new Date(start + 90_000);
  await scheduleBatch(creator.ctx, { pinIds: [planned], intervalMinutes: 1, start: at });
  expect(await publishRest(creator.ctx, input(creator))).toEqual({ moved: 4 });
  const times = await timesOf(ids.slice(0, 4));
  expect(times.map((time) => Math.round((time - start) / 30_000))).toEqual([0, 5, 7, 9]);
});

test("R-SRV-03 a pin that is being published is left alone, and pressed twice at once each pin moves once", async () => {
  const creator = await setup.insertCreator();
  const ids = await overduePins(creator, 4);
  const [first] = ids as [PinId];
  await setup.pinterest.resetCalls();
  expect((await claimPin(setup.job(), await current(first))).kind).toBe("attempt");
  const answers = await Promise.all([
    publishRest(creator.ctx, input(creator)),
    publishRest(creator.ctx, input(creator)),
  ]);
  expect(answers.some(({ moved }) => moved > 0)).toBe(true);
  expect(await setup.pin(first)).toMatchObject({ scheduleGeneration: 1 });
  for (const id of ids.slice(0, 4)) expect(await setup.drive(await current(id))).toMatchObject({ result: "published" });
  expect(await setup.pinterest.calls(CREATE)).toBe(4);
});

test("R-SRV-03 a pin that its owner moves in the meantime keeps the newer time", async () => {
  const creator = await setup.insertCreator();
  const [first, second] = (await overduePins(creator, 2)) as [PinId, PinId];
  const seen = await current(second);
  const later = new Date(setup.job().now().getTime() + 30 * 24 * HOUR_MS);
  await reschedulePin(creator.ctx, { pinId: second, at: later });
  const stale = { from: ["scheduled" as const], refusal: TEXTS.notScheduled, timeOf: (now: Date) => now };
  const move = inTransaction(creator.ctx, (tx) =>
    moveInTransaction(tx, { ...stale, pinId: second, generation: seen.scheduleGeneration }),
  );
  await expect(move).rejects.toMatchObject({ code: "wrong_state" });
  expect(await publishRest(creator.ctx, input(creator))).toEqual({ moved: 1 });
  expect((await timesOf([second]))[0]).toBe(later.getTime());
  expect(await setup.pin(first)).toMatchObject({ scheduleGeneration: 2 });
});

test.each([
  ["while Pinterest slows the account down", { pausedUntil: true }, TEXTS.accountOnHold],
  ["while the account must be reconnected", { status: "reconnect_needed" }, TEXTS.reconnectNeeded],
])("refused %s: nothing changes, and no pin counts as overdue", async (_, hold, text) => {
  const creator = await setup.insertCreator();
  const ids = await overduePins(creator, 2);
  const before = await timesOf(ids);
  const pausedUntil = new Date(setup.job().now().getTime() + HOUR_MS);
  const change = "status" in hold ? { status: "reconnect_needed" as const } : { pausedUntil };
  await creator.ctx.db.update(pinterestAccounts).set(change).where(eq(pinterestAccounts.id, creator.account.id));
  expect(await countOverdue(creator.ctx, input(creator))).toBe(0);
  await expect(publishRest(creator.ctx, input(creator))).rejects.toMatchObject({ code: "wrong_state", message: text });
  expect(await timesOf(ids)).toEqual(before);
});

test("another user's account is not found", async () => {
  const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
  await overduePins(creator, 2);
  await expect(countOverdue(stranger.ctx, input(creator))).rejects.toMatchObject({ code: "not_found" });
  await expect(publishRest(stranger.ctx, input(creator))).rejects.toMatchObject({ code: "not_found" });
});
