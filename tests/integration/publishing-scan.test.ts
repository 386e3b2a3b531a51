import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { STALE_AFTER_MS, START_AHEAD_MS, START_LEASE_MS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { claimPin, releasePin } from "#lib/features/publishing/publisher.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

// Pins that earlier tests left scheduled would be due too.
beforeEach(async () => {
  await setup.harness.database.db.update(pins).set({ status: "draft" });
});

const LATER_MS = 3 * HOUR_MS;

/** A pin that is due in three hours. */
const scheduledLater = async (creator: Creator): Promise<PinId> => {
  const pinId = await setup.draft(creator);
  const start = new Date(setup.job().now().getTime() + LATER_MS);
  await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 1, start });
  return pinId;
};

const eventsOf = (pinId: PinId) =>
  setup.sentEvents().filter((event) => event.name === "pins/publish.requested" && event.data.pinId === pinId);

const scan = (worker?: "other") => startDuePins(setup.job(worker));

test("R-SRV-03 a pin that is due in hours has no run until just before its time, and then starts at that time", async () => {
  const pinId = await scheduledLater(await setup.insertCreator());
  await scan();
  await setup.moveClock(LATER_MS - START_AHEAD_MS - SECOND_MS);
  await scan();
  expect(eventsOf(pinId)).toEqual([]);
  await setup.moveClock(10 * SECOND_MS);
  await scan();
  const [event, ...more] = eventsOf(pinId);
  expect(more).toEqual([]);
  const dueMs = (await setup.pin(pinId)).scheduledAt?.getTime() ?? 0;
  expect(Math.abs((event && "ts" in event ? (event.ts ?? 0) : 0) - dueMs)).toBeLessThan(SECOND_MS);
  // An engine that starts it early learns how long to wait.
  const claim = await claimPin(setup.job(), { pinId, scheduleGeneration: 1 });
  expect(claim.kind === "wait" && claim.afterMs).toBeGreaterThan(30 * SECOND_MS);
});

test("R-SRV-03 a second scan, or one at the same time, starts no second run", async () => {
  const creator = await setup.insertCreator();
  const pinIds = [await scheduledLater(creator), await scheduledLater(creator), await scheduledLater(creator)];
  await setup.moveClock(LATER_MS);
  const counts = await Promise.all([scan(), scan("other"), scan(), scan("other")]);
  expect(counts.reduce((sum, { started }) => sum + started, 0)).toBe(3);
  expect(await scan()).toEqual({ started: 0 });
  for (const pinId of pinIds) expect(eventsOf(pinId)).toHaveLength(1);
});

test("R-SRV-03 a run that the engine lost before it began is replaced, later each time", async () => {
  const pinId = await scheduledLater(await setup.insertCreator());
  await setup.moveClock(LATER_MS);
  await scan();
  for (const [lost, waitMs] of [START_LEASE_MS, 2 * START_LEASE_MS, 4 * START_LEASE_MS].entries()) {
    await setup.moveClock(waitMs - 5 * SECOND_MS);
    await scan();
    expect(eventsOf(pinId)).toHaveLength(lost + 1);
    await setup.moveClock(6 * SECOND_MS);
    await scan();
    expect(eventsOf(pinId)).toHaveLength(lost + 2);
  }
  expect(new Set(eventsOf(pinId).map(({ id }) => id)).size).toBe(4);
});

test("R-SRV-03 a run that the engine lost after it began is replaced within a minute, and the pin goes out once", async () => {
  const creator = await setup.insertCreator();
  const scheduled = await setup.scheduled(creator);
  await setup.pinterest.resetCalls();
  expect((await claimPin(setup.job(), scheduled)).kind).toBe("attempt");
  await scan();
  expect(eventsOf(scheduled.pinId)).toHaveLength(1);
  await setup.moveClock(STALE_AFTER_MS + SECOND_MS);
  await scan();
  expect(eventsOf(scheduled.pinId)).toHaveLength(2);
  await setup.drive(scheduled);
  expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "published", wakeAt: null });
  expect(await setup.pinterest.calls(CREATE)).toBe(1);
});

test("R-SRV-03 a pin that retries later is not started before its time", async () => {
  const creator = await setup.insertCreator();
  const scheduled = await setup.scheduled(creator);
  await setup.harness.database.db
    .update(pins)
    .set({ wakeAt: new Date(setup.job().now().getTime() + 20 * SECOND_MS) })
    .where(eq(pins.id, scheduled.pinId));
  await scan();
  expect(eventsOf(scheduled.pinId)).toHaveLength(1);
  await setup.moveClock(21 * SECOND_MS);
  await scan();
  expect(eventsOf(scheduled.pinId)).toHaveLength(2);
});

test("R-SRV-03 with the engine down nothing is lost, and the first scan afterward starts the pin", async () => {
  const pinId = await scheduledLater(await setup.insertCreator());
  await setup.moveClock(LATER_MS);
  for (let outage = 0; outage < 5; outage += 1) {
    setup.harness.failNextSend();
    await expect(scan()).rejects.toThrow();
    await setup.moveClock(MINUTE_MS);
  }
  expect(eventsOf(pinId)).toEqual([]);
  expect(await scan()).toEqual({ started: 1 });
  expect(await setup.pin(pinId)).toMatchObject({ sweeps: 1 });
});

test("a pin whose start failed early keeps its time", async () => {
  const pinId = await scheduledLater(await setup.insertCreator());
  await setup.moveClock(LATER_MS - 20 * SECOND_MS);
  setup.harness.failNextSend();
  await expect(scan()).rejects.toThrow();
  const { wakeAt, scheduledAt } = await setup.pin(pinId);
  expect(wakeAt).toEqual(scheduledAt);
});

test("R-SRV-03 a send that fails after the engine took the events undoes nothing that their runs did", async () => {
  const creator = await setup.insertCreator();
  const pinId = await scheduledLater(creator);
  await setup.moveClock(LATER_MS);
  const ctx = setup.job();
  const send = async () => {
    expect((await claimPin(setup.job("other"), { pinId, scheduleGeneration: 1 })).kind).toBe("attempt");
    throw new Error("The answer was lost.");
  };
  await expect(startDuePins({ ...ctx, jobs: { send } })).rejects.toThrow("The answer was lost.");
  const { wakeAt } = await setup.pin(pinId);
  expect((wakeAt?.getTime() ?? 0) - ctx.now().getTime()).toBeGreaterThan(STALE_AFTER_MS - 5 * SECOND_MS);
});

test("R-SRV-03 after an internal error no other run shortens the wait, and one failure counts once", async () => {
  const creator = await setup.insertCreator();
  const scheduled = await setup.scheduled(creator);
  expect((await claimPin(setup.job(), scheduled)).kind).toBe("attempt");
  await releasePin(setup.job(), scheduled);
  const claim = await claimPin(setup.job("other"), scheduled);
  expect(claim.kind === "wait" && claim.afterMs).toBeGreaterThan(30 * SECOND_MS);
  await releasePin(setup.job("other"), scheduled);
  expect(await setup.pin(scheduled.pinId)).toMatchObject({ failedRuns: 1 });
  await setup.moveClock(61 * SECOND_MS);
  expect((await claimPin(setup.job(), scheduled)).kind).toBe("attempt");
});

describe("pins of an account that needs reconnecting", () => {
  const setStatus = ({ account }: Creator, status: "connected" | "reconnect_needed") =>
    setup.harness.database.db.update(pinterestAccounts).set({ status }).where(eq(pinterestAccounts.id, account.id));

  test("leave the scan's index when they are due, and start at the first scan after the reconnection", async () => {
    const creator = await setup.insertCreator();
    const [due, later] = [await scheduledLater(creator), await scheduledLater(creator)];
    await setup.harness.database.db
      .update(pins)
      .set({ scheduledAt: sql`${pins.scheduledAt} + interval '1 day'`, wakeAt: sql`${pins.wakeAt} + interval '1 day'` })
      .where(eq(pins.id, later));
    await setStatus(creator, "reconnect_needed");
    await setup.moveClock(LATER_MS);
    expect(await scan()).toEqual({ started: 0 });
    expect(await setup.pin(due)).toMatchObject({ status: "scheduled", wakeAt: null });
    expect((await setup.pin(later)).wakeAt).not.toBeNull();
    expect(await scan()).toEqual({ started: 0 });
    await setStatus(creator, "connected");
    expect(await scan()).toEqual({ started: 1 });
    expect([eventsOf(due).length, eventsOf(later).length]).toEqual([1, 0]);
    expect(await scan()).toEqual({ started: 0 });
  });

  test("continue as well when the account is removed with an open call, so that they end", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    expect((await claimPin(setup.job(), scheduled)).kind).toBe("attempt");
    await setStatus(creator, "reconnect_needed");
    await setup.moveClock(HOUR_MS);
    await scan();
    expect(await setup.pin(scheduled.pinId)).toMatchObject({ wakeAt: null });
    await setup.harness.database.db
      .update(pinterestAccounts)
      .set({ status: "removed" })
      .where(eq(pinterestAccounts.id, creator.account.id));
    expect(await scan()).toEqual({ started: 1 });
  });

  test("are not held by a scan at the time of the reconnection", async () => {
    const creator = await setup.insertCreator();
    const pinId = await scheduledLater(creator);
    await setStatus(creator, "reconnect_needed");
    await setup.moveClock(LATER_MS);
    await setup.harness.database.db.transaction(async (tx) => {
      await tx
        .update(pinterestAccounts)
        .set({ status: "connected" })
        .where(eq(pinterestAccounts.id, creator.account.id));
      expect(await scan("other")).toEqual({ started: 0 });
    });
    expect(await scan()).toEqual({ started: 1 });
    expect(eventsOf(pinId)).toHaveLength(1);
  });
});
