import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { gatherRequested } from "#lib/features/analytics/schema.ts";
import { askWeeks } from "#lib/features/analytics/weekly.ts";
import { gatheringWorld } from "./gathering-house.ts";
import type { Maker } from "./publishing-house.ts";

const { world, publish, run, gather, figures, gatherRow, calls } = gatheringWorld();

const ANALYTICS = "GET /v5/*analytics*";
const SINGLE = "GET /v5/pins/:id/analytics";

const QUARTER_MS = 15 * MINUTE_MS;
/** From five o'clock until noon. */
const QUARTERS = 28;
const ONCE = [1, ...Array.from({ length: QUARTERS - 1 }, () => 0)];

/** Somebody with published pins, early on the next Monday by their clock. */
const earlyOnMonday = async (count: number): Promise<Maker> => {
  await world.house.database.db.delete(users);
  const maker = await world.makeMaker();
  await world.house.database.db.update(users).set({ timeZone: "UTC" }).where(eq(users.id, maker.userId));
  await publish(maker, count);
  const now = world.house.now();
  const midnight = Date.parse(now.toISOString().slice(0, 10));
  const days = (8 - now.getUTCDay()) % 7 || 7;
  await world.moveClock(midnight + days * DAY_MS + 5 * HOUR_MS + MINUTE_MS - now.getTime());
  return maker;
};

/** The weekly habit's run of a quarter of an hour, and what it has fetched. @returns how many runs that began */
const quarter = async (): Promise<number> => {
  const before = world.house.sentEvents.length;
  const startedAt = world.house.now().getTime();
  await askWeeks(world.job());
  const begun = world.house.sentEvents.slice(before).filter(({ name }) => name === "results/gather.requested");
  for (const { data } of begun) await run(gatherRequested.parse(data));
  // A run that fails again and again takes longer than that.
  await world.moveClock(QUARTER_MS - ((world.house.now().getTime() - startedAt) % QUARTER_MS));
  return begun.length;
};

/** How many runs began in each quarter of an hour. */
const morning = async (): Promise<number[]> => {
  const begun: number[] = [];
  for (let at = 0; at < QUARTERS; at += 1) begun.push(await quarter());
  return begun;
};

test("A-83 an account that Pinterest refuses costs a dozen calls on a Monday morning, and no more", async () => {
  await earlyOnMonday(60);
  await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-refused", forever: true });
  expect(await morning()).toEqual(ONCE);
  expect((await calls()).all).toHaveLength(12);
});

test.each([
  ["missing-scope", "lost"],
  ["trial-access", "refused"],
  ["restricted-feature", "refused"],
  ["spam-block", "refused"],
])("A-83 what only people can change is asked for once on a Monday morning: %s", async (scenario, heldBy) => {
  const maker = await earlyOnMonday(3);
  await world.pinterest.strike({ match: ANALYTICS, scenario, forever: true });
  expect(await morning()).toEqual(ONCE);
  expect((await calls()).all.length).toBeLessThanOrEqual(2);
  expect([await figures(maker), (await gatherRow(maker))?.heldBy]).toEqual([[], heldBy]);
  // Its owner may try at any time.
  await world.pinterest.clearFaults();
  if (heldBy === "refused") expect((await gather(maker)).outcome).toBe("covered");
  if (heldBy === "refused") expect(await gatherRow(maker)).toMatchObject({ heldBy: null, problemText: null });
});

test("A-83 a pin that is refused does not make an outage behind it a refusal: it is asked for again", async () => {
  const maker = await earlyOnMonday(20);
  await world.pinterest.set({ bulkAnalytics: false });
  await world.pinterest.strike({ match: SINGLE, scenario: "analytics-refused" });
  await world.pinterest.strike({ match: SINGLE, scenario: "analytics-down", forever: true });
  expect([await quarter(), (await figures(maker)).map(({ state }) => state)]).toEqual([1, ["refused"]]);
  expect(await gatherRow(maker)).toMatchObject({ heldBy: "failing", problemText: expect.stringContaining("its side") });
  await world.pinterest.clearFaults();
  expect([await quarter(), await quarter()]).toEqual([1, 0]);
  expect((await figures(maker)).filter(({ state }) => state === "ready")).toHaveLength(19);
});

test("A-83 an account of which Pinterest told some pins, or did not answer, is asked for again", async () => {
  const maker = await earlyOnMonday(20);
  await world.pinterest.set({ bulkAnalytics: false });
  await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-refused", skip: 5, times: 15 });
  expect([await quarter(), (await figures(maker)).filter(({ state }) => state === "ready").length]).toEqual([1, 4]);
  await world.pinterest.clearFaults();
  await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-down", forever: true });
  expect([await quarter(), await quarter()]).toEqual([1, 1]);
  await world.pinterest.clearFaults();
  expect([await quarter(), await quarter()]).toEqual([1, 0]);
  expect((await figures(maker)).map(({ state }) => state).toSorted()).toEqual([
    ...Array.from({ length: 9 }, () => "ready"),
    ...Array.from({ length: 11 }, () => "refused"),
  ]);
});
