import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "#lib/core/time.ts";
import { findTokens } from "#lib/features/accounts/queries.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { askForResults } from "#lib/features/analytics/gathering-queue.ts";
import { takeCall } from "#lib/features/analytics/pinterest-calls.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { until } from "#tests/support/poll.ts";
import { gatheringWorld, NOTHING_LEFT } from "./gathering-house.ts";
import type { Maker } from "./publishing-house.ts";

const { world, publish, ask, run, gather, figures, gatherRow, calls } = gatheringWorld();

const ANALYTICS = "GET /v5/*analytics*";

const statesOf = async (maker: Maker) => {
  const counted: Record<string, number> = {};
  for (const { state } of await figures(maker)) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
};

describe("A-83 what Pinterest tells oddly costs no more than itself", () => {
  test("pins that are left out of an answer are read alone", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 12);
    await world.pinterest.strike({ match: "GET /v5/pins/analytics", scenario: "analytics-pins-missing" });
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 12 });
    expect((await calls()).all.filter(({ path }) => path !== "/v5/pins/analytics")).toHaveLength(4);
  });

  test("days that are missing, in disorder or nonsense add nothing, and the others count", async () => {
    for (const scenario of ["analytics-days-missing", "analytics-nonsense"]) {
      const maker = await world.makeMaker();
      await publish(maker, 3);
      await world.pinterest.strike({ match: ANALYTICS, scenario });
      expect((await gather(maker)).outcome).toBe("covered");
      for (const { impressions, outboundClicks } of await figures(maker)) {
        expect(impressions.length).toBeGreaterThan(0);
        expect(impressions).toEqual(impressions.toSorted((a, b) => a - b));
        expect(outboundClicks.at(-1)).toBeLessThan(impressions.at(-1) ?? 0);
      }
      await world.pinterest.clearFaults();
    }
  });

  test("while no day is final the pins count as read, with nothing in them", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-processing" });
    expect((await gather(maker)).outcome).toBe("covered");
    const rows = await figures(maker);
    expect(rows.map(({ readyThrough, impressions }) => [readyThrough, impressions])).toEqual(Array(3).fill([null, []]));
    expect(await ask(maker)).toBeNull();
  });

  test("pins that are gone are found by halving, the others lose nothing, and they are not asked for again", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 100);
    const atPinterest = await world.publicPins(maker);
    for (const at of [0, 41, 99]) await world.pinterest.removePin(atPinterest[at]?.id ?? "");
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 97, gone: 3 });
    expect((await calls()).refused).toEqual([]);
    await world.pinterest.forgetCalls();
    await world.moveClock(19 * 60 * MINUTE_MS);
    expect((await gather(maker)).outcome).toBe("covered");
    expect((await calls()).all).toHaveLength(1);
  });

  test("a pin that Pinterest does not tell of is left alone", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 8);
    const [refused] = await world.publicPins(maker);
    await world.pinterest.strike({ match: "GET /v5/pins/analytics", scenario: "analytics-refused", times: 1 });
    await world.pinterest.set({ bulkAnalytics: false });
    const path = `GET /v5/pins/${refused?.id}/analytics`;
    await world.pinterest.strike({ match: path, scenario: "analytics-refused", forever: true });
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 7, refused: 1 });
  });
});

describe("A-83 what passes is waited for", () => {
  test("a refusal for too many calls stops the account's calls, screens' too, until Pinterest's reset", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-limited" });
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const move = await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    expect(move).toMatchObject({ kind: "more", afterMs: 40_000 });
    const row = await gatherRow(maker);
    expect(row?.problemText).toContain("slow down");
    const screen = await takeCall(world.job(), { accountId: maker.account.id, purpose: "screen" });
    expect(screen.kind === "later" && screen.afterMs > 30_000).toBe(true);
    await world.moveClock(41_000);
    expect((await run(request)).outcome).toBe("covered");
    expect((await gatherRow(maker))?.problemText).toBeNull();
  });

  test("a fault of theirs, and silence, are tried again with growing pauses", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 4);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-down", times: 2 });
    await world.pinterest.strike({ match: ANALYTICS, scenario: "cut", times: 1 });
    const { outcome, naps } = await gather(maker);
    expect([outcome, naps]).toEqual(["covered", [15_000, 30_000, 60_000]]);
    expect(await statesOf(maker)).toEqual({ ready: 4 });
  });

  test("an answer that takes too long is waited for no longer than our limit, and then half is asked for", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 4);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-slow" });
    expect((await gather(maker)).outcome).toBe("covered");
    const bulk = async () => (await calls()).all.filter(({ path }) => path === "/v5/pins/analytics");
    expect((await bulk()).length).toBeGreaterThanOrEqual(2);
    // The late one is answered after all, and must not count in the next test.
    await until(async () => (await bulk()).length >= 3, { what: "the late answer" });
  });

  test("what does not pass ends the run with its reason; a minute later asking begins another", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 4);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-down", forever: true });
    expect((await gather(maker)).outcome).toBe("held");
    expect(await gatherRow(maker)).toMatchObject({ wakeAt: null, problemText: expect.stringContaining("on its side") });
    expect((await calls()).all.length).toBeLessThan(10);
    const early = await askForResults(maker.ctx, { accountId: maker.account.id });
    expect(early).toEqual({ isAsked: false, againInSeconds: expect.toSatisfy((n) => n > 30 && n <= 60) });
    await world.pinterest.clearFaults();
    await world.moveClock(MINUTE_MS + 1_000);
    expect((await gather(maker)).outcome).toBe("covered");
  });
});

describe("A-83 what only people can change ends a run", () => {
  test("figures that are not ours to see: a dozen refusals, not one per pin", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 60);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-refused", forever: true });
    expect((await gather(maker)).outcome).toBe("held");
    expect((await calls()).all.length).toBeLessThanOrEqual(12);
    expect(await gatherRow(maker)).toMatchObject({ problemText: expect.stringContaining("does not permit") });
    expect(await findTokens(world.job(), maker.account.id)).not.toBeNull();
  });

  test("a feature that our app is not let into at all: held, and nobody is asked to connect again", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "restricted-feature", forever: true });
    expect((await gather(maker)).outcome).toBe("held");
    expect(await gatherRow(maker)).toMatchObject({ problemText: expect.stringContaining("does not offer") });
    expect(await findTokens(world.job(), maker.account.id)).not.toBeNull();
  });

  test("dead tokens: held with the words to connect again, and after that it goes on", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    const request = await ask(maker);
    await world.pinterest.revoke(maker.account.username);
    expect((await run(request)).outcome).toBe("held");
    expect(await gatherRow(maker)).toMatchObject({
      problemText: expect.stringContaining("connect this account again"),
    });
    expect(await ask(maker)).toBeNull();
    const again = { accountId: maker.account.id };
    expect(await tryToConnect(maker.ctx, world.pinterest, maker.account.username, again)).toEqual({
      kind: "connected",
    });
    await world.moveClock(MINUTE_MS + 1_000);
    expect((await gather(maker)).outcome).toBe("covered");
    expect(await statesOf(maker)).toEqual({ ready: 3 });
  });
});
