import { describe, expect, test } from "vitest";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { NO_PROGRESS, syncHarness } from "./analytics-sync-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const { setup, publish, requestEvent, run, runSync, storedMetrics, syncRow, calls } = syncHarness();

const ANALYTICS = "GET /v5/*analytics*";
const BULK = "GET /v5/pins/analytics";

const statesOf = async (creator: Creator) => {
  const counted: Record<string, number> = {};
  for (const { state } of await storedMetrics(creator)) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
};

/** The Pinterest id of a pin. */
const pinAt = async (creator: Creator, at: number): Promise<string> => (await setup.publicPins(creator))[at]?.id ?? "";

describe("A-83 a pin whose call always fails does not affect other pins", () => {
  test.each([
    ["many per call", true, 0],
    ["many per call", true, 34],
    ["one per call", false, 0],
    ["one per call", false, 34],
  ])("%s (beta: %j), the pin at position %i", async (_, bulkAnalytics, at) => {
    const creator = await setup.insertCreator();
    await publish(creator, 35);
    await setup.pinterest.set({ bulkAnalytics });
    const where = { pin: `*${await pinAt(creator, at)}*` };
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-down", where, forever: true });
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 34, refused: 1 });
    expect(await requestEvent(creator)).toBeNull();
    await setup.pinterest.clearFaults();
    await setup.moveClock(19 * HOUR_MS);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 35 });
  });

  test("when all calls fail the run ends soon, and no pin is marked", async () => {
    for (const count of [1, 2, 35]) {
      const creator = await setup.insertCreator();
      await publish(creator, count);
      await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-down", forever: true });
      await setup.pinterest.resetCalls();
      expect((await runSync(creator)).outcome).toBe("held");
      expect((await calls()).all.length).toBeLessThanOrEqual(7);
      expect(await statesOf(creator)).toEqual({});
      await setup.pinterest.clearFaults();
    }
  });
});

describe("A-83 a pin is marked as deleted only when Pinterest says so", () => {
  test("any other 404 is a refusal", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 4);
    const where = { pin: `*${await pinAt(creator, 1)}*` };
    const elsewhere = { status: 404, body: { code: 0, message: "Not Found" } };
    await setup.pinterest.addFault({ match: ANALYTICS, where, ...elsewhere, forever: true });
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 3, refused: 1 });
  });

  test("an endpoint that is not found ends the run after a dozen calls, and no pin is marked as deleted", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 60);
    const elsewhere = { status: 404, body: { code: 0, message: "Not Found" } };
    await setup.pinterest.addFault({ match: ANALYTICS, ...elsewhere, forever: true });
    expect((await runSync(creator)).outcome).toBe("held");
    expect((await calls()).all.length).toBeLessThanOrEqual(12);
    expect((await statesOf(creator)).gone).toBeUndefined();
  });

  test("a dozen deleted pins in a row end the run; the next run continues after them", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 20);
    await setup.pinterest.set({ bulkAnalytics: false });
    for (const { id } of (await setup.publicPins(creator)).slice(0, 16)) await setup.pinterest.removePin(id);
    const newestGone = await runSync(creator);
    const before = await statesOf(creator);
    expect([newestGone.outcome, before.gone]).toEqual(["held", 12]);
    expect(await syncRow(creator)).toMatchObject({ problemText: expect.stringContaining("couldn't find") });
    await setup.moveClock(MINUTE_MS + 1_000);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 4, gone: 16 });
  });

  test("a dozen deleted pins that were all pins leave nothing to retry", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 12);
    await setup.pinterest.set({ bulkAnalytics: false });
    for (const { id } of await setup.publicPins(creator)) await setup.pinterest.removePin(id);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ gone: 12 });
    expect(await syncRow(creator)).toMatchObject({ problemText: null, heldBy: null, wakeAt: null });
  });
});

test.each([
  ["403/29", 403, 29],
  ["404", 404, 0],
])("A-83 bulk calls refused by %s are not tried again for a day", async (_, status, code) => {
  const creator = await setup.insertCreator();
  await publish(creator, 60);
  const refusal = { status, body: { code, message: "No." } };
  await setup.pinterest.addFault({ match: BULK, ...refusal, forever: true });
  expect((await runSync(creator)).outcome).toBe("covered");
  expect(await statesOf(creator)).toEqual({ ready: 60 });
  const { all } = await calls();
  expect(all.filter(({ path }) => path === "/v5/pins/analytics").length).toBeLessThan(8);
  const row = await syncRow(creator);
  expect(row?.bulkRefusedUntil?.getTime()).toBeGreaterThan(setup.harness.now().getTime());
});

describe("A-83 a run comes to an end", () => {
  test("when metrics are stored for an hour and the first expire before the last are read", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 30);
    await setup.pinterest.set({ bulkAnalytics: false });
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const ctx = { ...setup.job(), settings: { ...setup.harness.settings, analyticsCacheHours: 1 } };
    const first = await syncAnalytics(ctx, { ...request, progress: NO_PROGRESS });
    expect(first.kind).toBe("more");
    expect((await storedMetrics(creator)).length).toBeGreaterThan(5);
    await setup.moveClock(50 * MINUTE_MS);
    expect((await run(request, ctx)).outcome).toBe("covered");
    const { all } = await calls();
    expect(all.filter(({ path }) => path !== "/v5/pins/analytics")).toHaveLength(30);
    expect(await statesOf(creator)).toEqual({ ready: 30 });
  });

  test("when it takes longer than metrics are stored", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    const request = await requestEvent(creator);
    const { db } = setup.harness.database;
    await db.update(analyticsSyncs).set({ requestedAt: addMs(setup.harness.now(), -25 * HOUR_MS) });
    expect((await run(request)).outcome).toBe("covered");
    expect((await calls()).all).toEqual([]);
    expect(await db.select().from(pinMetrics)).not.toContainEqual(
      expect.objectContaining({ accountId: creator.account.id }),
    );
  });
});
