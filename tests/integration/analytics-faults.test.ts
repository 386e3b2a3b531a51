import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "#lib/core/time.ts";
import { findTokens } from "#lib/features/accounts/queries.ts";
import { acquireCall } from "#lib/features/analytics/pinterest-calls.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { requestSync } from "#lib/features/analytics/sync-queue.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { until } from "#tests/support/poll.ts";
import { NO_PROGRESS, syncHarness } from "./analytics-sync-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const { setup, publish, requestEvent, run, runSync, storedMetrics, syncRow, calls } = syncHarness();

const ANALYTICS = "GET /v5/*analytics*";

const statesOf = async (creator: Creator) => {
  const counted: Record<string, number> = {};
  for (const { state } of await storedMetrics(creator)) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
};

describe("A-83 odd answers of Pinterest", () => {
  test("pins missing from a bulk answer are read alone", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 12);
    await setup.pinterest.addFault({ match: "GET /v5/pins/analytics", scenario: "analytics-pins-missing" });
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 12 });
    expect((await calls()).all.filter(({ path }) => path !== "/v5/pins/analytics")).toHaveLength(4);
  });

  test("missing, unordered and invalid days add nothing, and the others count", async () => {
    for (const scenario of ["analytics-days-missing", "analytics-nonsense"]) {
      const creator = await setup.insertCreator();
      await publish(creator, 3);
      await setup.pinterest.addFault({ match: ANALYTICS, scenario });
      expect((await runSync(creator)).outcome).toBe("covered");
      for (const { impressions, outboundClicks } of await storedMetrics(creator)) {
        expect(impressions.length).toBeGreaterThan(0);
        expect(impressions).toEqual(impressions.toSorted((a, b) => a - b));
        expect(outboundClicks.at(-1)).toBeLessThan(impressions.at(-1) ?? 0);
      }
      await setup.pinterest.clearFaults();
    }
  });

  test("pins without a final day are stored as read and empty", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-processing" });
    expect((await runSync(creator)).outcome).toBe("covered");
    const rows = await storedMetrics(creator);
    expect(rows.map(({ readyThrough, impressions }) => [readyThrough, impressions])).toEqual(Array(3).fill([null, []]));
    expect(await requestEvent(creator)).toBeNull();
  });

  test("deleted pins are found by halving, cost the others nothing, and are not requested again", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 100);
    const atPinterest = await setup.publicPins(creator);
    for (const at of [0, 41, 99]) await setup.pinterest.removePin(atPinterest[at]?.id ?? "");
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 97, gone: 3 });
    expect((await calls()).refused).toEqual([]);
    await setup.pinterest.resetCalls();
    await setup.moveClock(19 * 60 * MINUTE_MS);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect((await calls()).all).toHaveLength(1);
  });

  test("a refused pin is left alone", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 8);
    const [refused] = await setup.publicPins(creator);
    await setup.pinterest.addFault({ match: "GET /v5/pins/analytics", scenario: "analytics-refused", times: 1 });
    await setup.pinterest.set({ bulkAnalytics: false });
    const path = `GET /v5/pins/${refused?.id}/analytics`;
    await setup.pinterest.addFault({ match: path, scenario: "analytics-refused", forever: true });
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 7, refused: 1 });
  });
});

describe("A-83 temporary failures", () => {
  test("a rate-limit response stops all calls of the account, including screens, until the reset", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-limited" });
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const step = await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    expect(step).toMatchObject({ kind: "more", afterMs: 40_000 });
    const row = await syncRow(creator);
    expect(row?.problemText).toContain("slow down");
    const screen = await acquireCall(setup.job(), { accountId: creator.account.id, purpose: "screen" });
    expect(screen.kind === "later" && screen.afterMs > 30_000).toBe(true);
    await setup.moveClock(41_000);
    expect((await run(request)).outcome).toBe("covered");
    expect((await syncRow(creator))?.problemText).toBeNull();
  });

  test("server errors and timeouts are retried with growing pauses", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 4);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-down", times: 2 });
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "cut", times: 1 });
    const { outcome, waits } = await runSync(creator);
    expect([outcome, waits]).toEqual(["covered", [15_000, 30_000, 60_000]]);
    expect(await statesOf(creator)).toEqual({ ready: 4 });
  });

  test("a slow answer times out, and then half of the pins are requested", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 4);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-slow" });
    expect((await runSync(creator)).outcome).toBe("covered");
    const bulk = async () => (await calls()).all.filter(({ path }) => path === "/v5/pins/analytics");
    expect((await bulk()).length).toBeGreaterThanOrEqual(2);
    // The late answer arrives after all and must not count in the next test.
    await until(async () => (await bulk()).length >= 3, { what: "the late answer" });
  });

  test("a lasting failure ends the run with its reason; a request a minute later starts another", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 4);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-down", forever: true });
    expect((await runSync(creator)).outcome).toBe("held");
    expect(await syncRow(creator)).toMatchObject({
      wakeAt: null,
      problemText: expect.stringContaining("having problems right now"),
    });
    expect((await calls()).all.length).toBeLessThan(10);
    const early = await requestSync(creator.ctx, { accountId: creator.account.id });
    expect(early).toEqual({ isRequested: false, retryInSeconds: expect.toSatisfy((n) => n > 30 && n <= 60) });
    await setup.pinterest.clearFaults();
    await setup.moveClock(MINUTE_MS + 1_000);
    expect((await runSync(creator)).outcome).toBe("covered");
  });
});

describe("A-83 failures that need the user end a run", () => {
  test("metrics we may not read cost a dozen refusals, not one per pin", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 60);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-refused", forever: true });
    expect((await runSync(creator)).outcome).toBe("held");
    expect((await calls()).all.length).toBeLessThanOrEqual(12);
    expect(await syncRow(creator)).toMatchObject({ problemText: expect.stringContaining("doesn't allow") });
    expect(await findTokens(setup.job(), creator.account.id)).not.toBeNull();
  });

  test("a feature that our app has no access to puts the run on hold without asking to reconnect", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "restricted-feature", forever: true });
    expect((await runSync(creator)).outcome).toBe("held");
    expect(await syncRow(creator)).toMatchObject({ problemText: expect.stringContaining("doesn't let our app") });
    expect(await findTokens(setup.job(), creator.account.id)).not.toBeNull();
  });

  test("expired tokens put the run on hold until the account is reconnected", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    const request = await requestEvent(creator);
    await setup.pinterest.revoke(creator.account.username);
    expect((await run(request)).outcome).toBe("held");
    expect(await syncRow(creator)).toMatchObject({
      problemText: expect.stringContaining("reconnect this Pinterest account"),
    });
    expect(await requestEvent(creator)).toBeNull();
    const again = { accountId: creator.account.id };
    expect(await tryToConnect(creator.ctx, setup.pinterest, creator.account.username, again)).toEqual({
      kind: "connected",
    });
    await setup.moveClock(MINUTE_MS + 1_000);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect(await statesOf(creator)).toEqual({ ready: 3 });
  });
});
