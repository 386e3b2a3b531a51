import { describe, expect, test } from "vitest";
import { inTransaction } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { findTokens } from "#lib/features/accounts/queries.ts";
import { CALL_PACE_MS } from "#lib/features/analytics/constants.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { askForResults, sweepGathers } from "#lib/features/analytics/gathering-queue.ts";
import { takeCall } from "#lib/features/analytics/pinterest-calls.ts";
import { gatheringWorld, NOTHING_LEFT } from "./gathering-house.ts";

const { world, publish, ask, run, gather, figures, calls } = gatheringWorld();

/** Two thousand calls over HTTP, on a busy machine. */
const LONG_MS = 4 * MINUTE_MS;
const BULK = "GET /v5/pins/analytics";

/** The most calls in any minute, by the stand-in's log. */
const busiestMinute = (times: readonly string[]): number => {
  const sorted = times.map((at) => Date.parse(at)).toSorted((a, b) => a - b);
  return Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + MINUTE_MS).length));
};

describe("two thousand pins within the limits", () => {
  test("A-83 many per call: the newest are there after one call, all after twenty, without a refusal", async () => {
    const maker = await world.makeMaker();
    const pinIds = await publish(maker, 2_000);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    await world.pinterest.strike({ match: BULK, scenario: "analytics-limited", skip: 1 });
    await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    await world.pinterest.clearFaults();
    const first = await figures(maker);
    expect(new Set(first.map(({ pinId }) => pinId))).toEqual(new Set(pinIds.slice(0, 100)));
    expect(first.some(({ impressions }) => (impressions.at(-1) ?? 0) > 0)).toBe(true);
    await world.moveClock(MINUTE_MS);
    await world.pinterest.forgetCalls();
    const { outcome, naps } = await run(request);
    expect(outcome).toBe("covered");
    expect(await figures(maker)).toHaveLength(2_000);
    const { all, refused } = await calls();
    expect([all.length, refused.length]).toEqual([19, 0]);
    expect(naps.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(MINUTE_MS);
  });

  test(
    "A-83 one per call, where Pinterest does not let us in on more: within the hour, without a refusal",
    async () => {
      const maker = await world.makeMaker();
      await publish(maker, 2_000);
      await world.pinterest.set({ bulkAnalytics: false });
      const { outcome, naps } = await gather(maker);
      expect(outcome).toBe("covered");
      expect(await figures(maker)).toHaveLength(2_000);
      const { all, refused } = await calls();
      expect(refused).toEqual([]);
      expect(all.filter(({ status }) => status === 401)).toHaveLength(1);
      expect(all).toHaveLength(2_001);
      expect(busiestMinute(all.map(({ at }) => at))).toBeLessThanOrEqual(50);
      expect(naps.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(HOUR_MS);
      expect(await findTokens(world.job(), maker.account.id)).not.toBeNull();
    },
    LONG_MS,
  );

  test("A-83 screens keep their share of the calls while figures are gathered", async () => {
    const maker = await world.makeMaker();
    // In one transaction, for which only time that the test moves passes: a slow machine forgets no calls meanwhile.
    await inTransaction(world.job(), async (tx) => {
      const take = (purpose: "gathering" | "screen") => takeCall(tx, { accountId: maker.account.id, purpose });
      const kinds = async (purpose: "gathering" | "screen", count: number) => {
        const taken = [];
        for (let n = 0; n < count; n += 1) taken.push((await take(purpose)).kind);
        return taken;
      };
      expect(await kinds("gathering", 11)).toEqual([...Array(10).fill("taken"), "later"]);
      expect(await kinds("screen", 11)).toEqual([...Array(10).fill("taken"), "later"]);
      expect(await take("screen")).toEqual({ kind: "later", afterMs: 1_500, isPace: true });
      expect(await take("gathering")).toEqual({ kind: "later", afterMs: 30_000, isPace: true });
      await world.moveClock(1_600);
      expect(await kinds("screen", 2)).toEqual(["taken", "later"]);
      await world.moveClock(MINUTE_MS);
      expect(await kinds("gathering", 11)).toEqual([...Array(10).fill("taken"), "later"]);
    });
  });

  test("A-83 many processes at once take no call too much", async () => {
    const maker = await world.makeMaker();
    const accountId = maker.account.id;
    const from = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        takeCall(world.job(n % 2 === 0 ? "other" : undefined), { accountId, purpose: "screen" }),
      ),
    );
    const forgotten = Math.floor((performance.now() - from) / CALL_PACE_MS);
    const taken = answers.filter(({ kind }) => kind === "taken").length;
    expect(taken).toBeGreaterThanOrEqual(20);
    expect(taken).toBeLessThanOrEqual(20 + forgotten);
  });
});

describe("asking", () => {
  test("A-83 begins one run, however often it is asked, and none while all is fresh", async () => {
    const maker = await world.makeMaker();
    expect(await ask(maker)).toBeNull();
    await publish(maker, 3);
    const asked = await Promise.all([1, 2, 3].map(() => askForResults(maker.ctx, { accountId: maker.account.id })));
    expect(asked.filter(({ isAsked }) => isAsked)).toHaveLength(1);
    const request = { accountId: maker.account.id, generation: 1, sweeps: 0 };
    expect((await run(request)).outcome).toBe("covered");
    expect(await ask(maker)).toBeNull();
    expect((await run(request)).outcome).toBe("not_needed");
    expect((await calls()).all).toHaveLength(1);
    await world.moveClock(19 * HOUR_MS);
    expect((await gather(maker)).outcome).toBe("covered");
    expect((await calls()).all).toHaveLength(2);
  });

  test("A-83 is refused for somebody else's account", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const asking = askForResults(other.ctx, { accountId: maker.account.id });
    await expect(asking).rejects.toMatchObject({ code: "not_found" });
  });

  test("A-83 what the engine did not take is sent by the sweep, again and again until the run has ended", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    world.house.failNextSend();
    expect(await ask(maker)).toBeNull();
    const sentOf = () =>
      world.house.sentEvents.filter(
        ({ name, data }) => name.startsWith("results/") && Object(data).accountId === maker.account.id,
      );
    await sweepGathers(world.job());
    expect(sentOf()).toEqual([]);
    await world.moveClock(6 * MINUTE_MS);
    await sweepGathers(world.job());
    await sweepGathers(world.job());
    await world.moveClock(11 * MINUTE_MS);
    await sweepGathers(world.job());
    const { id: accountId } = maker.account;
    expect(sentOf().map(({ id }) => id)).toEqual([`results:${accountId}:1:1`, `results:${accountId}:1:2`]);
    for (const sweeps of [0, 1]) {
      expect((await run({ accountId, generation: 1, sweeps })).outcome).toBe("not_needed");
    }
    expect((await calls()).all).toEqual([]);
    expect((await run({ accountId, generation: 1, sweeps: 2 })).outcome).toBe("covered");
    await world.moveClock(DAY_MS);
    await sweepGathers(world.job());
    expect(sentOf()).toHaveLength(2);
  });
});

test("A-83 totals run on from the first final day to the last, and the sums are Pinterest's", async () => {
  const maker = await world.makeMaker();
  const [pinId] = await publish(maker, 1, { publishedAt: addMs(world.house.now(), -30 * DAY_MS) });
  await gather(maker);
  const [row] = await figures(maker);
  if (!row?.readyThrough) throw new Error("Nothing is final.");
  expect(row).toMatchObject({ pinId, state: "ready", accountId: maker.account.id });
  const days = (Date.parse(row.readyThrough) - Date.parse(row.firstDay)) / DAY_MS + 1;
  expect(days).toBe(29);
  for (const list of [row.impressions, row.pinClicks, row.outboundClicks, row.saves]) {
    expect(list).toHaveLength(days);
    expect(list).toEqual(list.toSorted((a, b) => a - b));
  }
  const [published] = await world.publicPins(maker);
  const answer = await withAccessToken(world.job(), maker.account.id, (access) =>
    world.house.ports.pinterest.readPinAnalytics(access, published?.id ?? "", {
      firstDay: row.firstDay,
      lastDay: row.readyThrough ?? "",
    }),
  );
  if (answer.kind !== "ok") throw new Error("Pinterest does not tell.");
  const sum = answer.value.reduce((all, { figures: one }) => all + (one?.impressions ?? 0), 0);
  expect(row.impressions.at(-1)).toBe(sum);
});
