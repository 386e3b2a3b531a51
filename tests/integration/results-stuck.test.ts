import { describe, expect, test } from "vitest";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { gatheringWorld, NOTHING_LEFT } from "./gathering-house.ts";
import type { Maker } from "./publishing-house.ts";

const { world, publish, ask, run, gather, figures, gatherRow, calls } = gatheringWorld();

const ANALYTICS = "GET /v5/*analytics*";
const BULK = "GET /v5/pins/analytics";

const statesOf = async (maker: Maker) => {
  const counted: Record<string, number> = {};
  for (const { state } of await figures(maker)) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
};

/** Pinterest's id of one of a maker's pins. */
const pinAt = async (maker: Maker, at: number): Promise<string> => (await world.publicPins(maker))[at]?.id ?? "";

describe("A-83 a pin whose call always fails costs no other pin its figures", () => {
  test.each([
    ["many per call", true, 0],
    ["many per call", true, 34],
    ["one per call", false, 0],
    ["one per call", false, 34],
  ])("%s (beta: %j), the pin at place %i", async (_, bulkAnalytics, at) => {
    const maker = await world.makeMaker();
    await publish(maker, 35);
    await world.pinterest.set({ bulkAnalytics });
    const where = { pin: `*${await pinAt(maker, at)}*` };
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-down", where, forever: true });
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 34, refused: 1 });
    expect(await ask(maker)).toBeNull();
    await world.pinterest.clearFaults();
    await world.moveClock(19 * HOUR_MS);
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 35 });
  });

  test("when all calls fail the run ends soon, and nothing is held against any pin", async () => {
    for (const count of [1, 2, 35]) {
      const maker = await world.makeMaker();
      await publish(maker, count);
      await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-down", forever: true });
      await world.pinterest.forgetCalls();
      expect((await gather(maker)).outcome).toBe("held");
      expect((await calls()).all.length).toBeLessThanOrEqual(7);
      expect(await statesOf(maker)).toEqual({});
      await world.pinterest.clearFaults();
    }
  });
});

describe("A-83 a pin is called gone only where Pinterest says so", () => {
  test("any other 404 is a refusal", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 4);
    const where = { pin: `*${await pinAt(maker, 1)}*` };
    const elsewhere = { status: 404, body: { code: 0, message: "Not Found" } };
    await world.pinterest.strike({ match: ANALYTICS, where, ...elsewhere, forever: true });
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 3, refused: 1 });
  });

  test("a whole interface that is not found ends the run after a dozen, and no pin is gone", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 60);
    const elsewhere = { status: 404, body: { code: 0, message: "Not Found" } };
    await world.pinterest.strike({ match: ANALYTICS, ...elsewhere, forever: true });
    expect((await gather(maker)).outcome).toBe("held");
    expect((await calls()).all.length).toBeLessThanOrEqual(12);
    expect((await statesOf(maker)).gone).toBeUndefined();
  });

  test("a dozen that are gone, and none that is there, end the run; the next one goes on behind them", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 20);
    await world.pinterest.set({ bulkAnalytics: false });
    for (const { id } of (await world.publicPins(maker)).slice(0, 16)) await world.pinterest.removePin(id);
    const newestGone = await gather(maker);
    const before = await statesOf(maker);
    expect([newestGone.outcome, before.gone]).toEqual(["held", 12]);
    expect(await gatherRow(maker)).toMatchObject({ problemText: expect.stringContaining("no longer") });
    await world.moveClock(MINUTE_MS + 1_000);
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 4, gone: 16 });
  });

  test("a dozen that are gone and are all there were leave nothing to try again for", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 12);
    await world.pinterest.set({ bulkAnalytics: false });
    for (const { id } of await world.publicPins(maker)) await world.pinterest.removePin(id);
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ gone: 12 });
    expect(await gatherRow(maker)).toMatchObject({ problemText: null, heldBy: null, wakeAt: null });
  });
});

test.each([
  ["403/29", 403, 29],
  ["404", 404, 0],
])("A-83 many per call refused by %s, one by one not: that is remembered for a day", async (_, status, code) => {
  const maker = await world.makeMaker();
  await publish(maker, 60);
  const refusal = { status, body: { code, message: "No." } };
  await world.pinterest.strike({ match: BULK, ...refusal, forever: true });
  expect((await gather(maker)).outcome).toBe("covered");
  expect(await statesOf(maker)).toEqual({ ready: 60 });
  const { all } = await calls();
  expect(all.filter(({ path }) => path === "/v5/pins/analytics").length).toBeLessThan(8);
  const row = await gatherRow(maker);
  expect(row?.bulkRefusedUntil?.getTime()).toBeGreaterThan(world.house.now().getTime());
});

describe("A-83 a run comes to an end", () => {
  test("where figures are kept for an hour, though the first are due again before the last were read", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 30);
    await world.pinterest.set({ bulkAnalytics: false });
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const ctx = { ...world.job(), settings: { ...world.house.settings, analyticsCacheHours: 1 } };
    const first = await gatherResults(ctx, { ...request, walk: NOTHING_LEFT });
    expect(first.kind).toBe("more");
    expect((await figures(maker)).length).toBeGreaterThan(5);
    await world.moveClock(50 * MINUTE_MS);
    expect((await run(request, ctx)).outcome).toBe("covered");
    const { all } = await calls();
    expect(all.filter(({ path }) => path !== "/v5/pins/analytics")).toHaveLength(30);
    expect(await statesOf(maker)).toEqual({ ready: 30 });
  });

  test("when it took longer than figures are kept", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    const request = await ask(maker);
    const { db } = world.house.database;
    await db.update(resultGathers).set({ askedAt: addMs(world.house.now(), -25 * HOUR_MS) });
    expect((await run(request)).outcome).toBe("covered");
    expect((await calls()).all).toEqual([]);
    expect(await db.select().from(pinFigures)).not.toContainEqual(
      expect.objectContaining({ accountId: maker.account.id }),
    );
  });
});
