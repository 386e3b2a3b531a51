import { describe, expect, test } from "vitest";
import { inTransaction } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { findTokens } from "#lib/features/accounts/queries.ts";
import { CALL_INTERVAL_MS } from "#lib/features/analytics/constants.ts";
import { acquireCall } from "#lib/features/analytics/pinterest-calls.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { requestSync, sweepSyncs } from "#lib/features/analytics/sync-queue.ts";
import { NO_PROGRESS, syncHarness } from "./analytics-sync-harness.ts";

const { setup, publish, requestEvent, run, runSync, storedMetrics, calls } = syncHarness();

/** Timeout for two thousand HTTP calls on a busy machine. */
const LONG_MS = 4 * MINUTE_MS;
const BULK = "GET /v5/pins/analytics";

/** The maximum number of calls per minute, from the stand-in's log. */
const busiestMinute = (times: readonly string[]): number => {
  const sorted = times.map((at) => Date.parse(at)).toSorted((a, b) => a - b);
  return Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + MINUTE_MS).length));
};

describe("two thousand pins within the limits", () => {
  test("A-83 bulk calls: the newest are stored after one call, all after twenty, within the rate limit", async () => {
    const creator = await setup.insertCreator();
    const pinIds = await publish(creator, 2_000);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    await setup.pinterest.addFault({ match: BULK, scenario: "analytics-limited", skip: 1 });
    await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    await setup.pinterest.clearFaults();
    const first = await storedMetrics(creator);
    expect(new Set(first.map(({ pinId }) => pinId))).toEqual(new Set(pinIds.slice(0, 100)));
    expect(first.some(({ impressions }) => (impressions.at(-1) ?? 0) > 0)).toBe(true);
    await setup.moveClock(MINUTE_MS);
    await setup.pinterest.resetCalls();
    const { outcome, waits } = await run(request);
    expect(outcome).toBe("covered");
    expect(await storedMetrics(creator)).toHaveLength(2_000);
    const { all, refused } = await calls();
    expect([all.length, refused.length]).toEqual([19, 0]);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(MINUTE_MS);
  });

  test(
    "A-83 single calls without the bulk beta: done within the hour, within the rate limit",
    async () => {
      const creator = await setup.insertCreator();
      await publish(creator, 2_000);
      await setup.pinterest.set({ bulkAnalytics: false });
      const { outcome, waits } = await runSync(creator);
      expect(outcome).toBe("covered");
      expect(await storedMetrics(creator)).toHaveLength(2_000);
      const { all, refused } = await calls();
      expect(refused).toEqual([]);
      expect(all.filter(({ status }) => status === 401)).toHaveLength(1);
      expect(all).toHaveLength(2_001);
      expect(busiestMinute(all.map(({ at }) => at))).toBeLessThanOrEqual(50);
      expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(HOUR_MS);
      expect(await findTokens(setup.job(), creator.account.id)).not.toBeNull();
    },
    LONG_MS,
  );

  test("A-83 screens keep their share of the calls during a sync", async () => {
    const creator = await setup.insertCreator();
    // Uses one transaction with a fixed clock, so that no calls expire on a slow machine.
    await inTransaction(setup.job(), async (tx) => {
      const take = (purpose: "sync" | "screen") => acquireCall(tx, { accountId: creator.account.id, purpose });
      const kinds = async (purpose: "sync" | "screen", count: number) => {
        const taken = [];
        for (let n = 0; n < count; n += 1) taken.push((await take(purpose)).kind);
        return taken;
      };
      expect(await kinds("sync", 11)).toEqual([...Array(10).fill("taken"), "later"]);
      expect(await kinds("screen", 11)).toEqual([...Array(10).fill("taken"), "later"]);
      expect(await take("screen")).toEqual({ kind: "later", afterMs: 1_500, isRateLimit: true });
      expect(await take("sync")).toEqual({ kind: "later", afterMs: 30_000, isRateLimit: true });
      await setup.moveClock(1_600);
      expect(await kinds("screen", 2)).toEqual(["taken", "later"]);
      await setup.moveClock(MINUTE_MS);
      expect(await kinds("sync", 11)).toEqual([...Array(10).fill("taken"), "later"]);
    });
  });

  test("A-83 concurrent processes never exceed the limit", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    const from = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        acquireCall(setup.job(n % 2 === 0 ? "other" : undefined), { accountId, purpose: "screen" }),
      ),
    );
    const forgotten = Math.floor((performance.now() - from) / CALL_INTERVAL_MS);
    const taken = answers.filter(({ kind }) => kind === "taken").length;
    expect(taken).toBeGreaterThanOrEqual(20);
    expect(taken).toBeLessThanOrEqual(20 + forgotten);
  });
});

describe("requesting a sync", () => {
  test("A-83 starts one run, however often it is requested, and none while all is fresh", async () => {
    const creator = await setup.insertCreator();
    expect(await requestEvent(creator)).toBeNull();
    await publish(creator, 3);
    const args = await Promise.all([1, 2, 3].map(() => requestSync(creator.ctx, { accountId: creator.account.id })));
    expect(args.filter(({ isRequested }) => isRequested)).toHaveLength(1);
    const request = { accountId: creator.account.id, generation: 1, sweeps: 0 };
    expect((await run(request)).outcome).toBe("covered");
    expect(await requestEvent(creator)).toBeNull();
    expect((await run(request)).outcome).toBe("not_needed");
    expect((await calls()).all).toHaveLength(1);
    await setup.moveClock(19 * HOUR_MS);
    expect((await runSync(creator)).outcome).toBe("covered");
    expect((await calls()).all).toHaveLength(2);
  });

  test("A-83 is rejected for another user's account", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const requests = requestSync(other.ctx, { accountId: creator.account.id });
    await expect(requests).rejects.toMatchObject({ code: "not_found" });
  });

  test("A-83 the sweep resends lost events until the run has ended", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    setup.harness.failNextSend();
    expect(await requestEvent(creator)).toBeNull();
    const sentOf = () =>
      setup.harness.sentEvents.filter(
        ({ name, data }) => name.startsWith("analytics/") && Object(data).accountId === creator.account.id,
      );
    await sweepSyncs(setup.job());
    expect(sentOf()).toEqual([]);
    await setup.moveClock(6 * MINUTE_MS);
    await sweepSyncs(setup.job());
    await sweepSyncs(setup.job());
    await setup.moveClock(11 * MINUTE_MS);
    await sweepSyncs(setup.job());
    const { id: accountId } = creator.account;
    expect(sentOf().map(({ id }) => id)).toEqual([`results:${accountId}:1:1`, `results:${accountId}:1:2`]);
    for (const sweeps of [0, 1]) {
      expect((await run({ accountId, generation: 1, sweeps })).outcome).toBe("not_needed");
    }
    expect((await calls()).all).toEqual([]);
    expect((await run({ accountId, generation: 1, sweeps: 2 })).outcome).toBe("covered");
    await setup.moveClock(DAY_MS);
    await sweepSyncs(setup.job());
    expect(sentOf()).toHaveLength(2);
  });
});

test("A-83 totals run from the first to the last final day, and match Pinterest's sums", async () => {
  const creator = await setup.insertCreator();
  const [pinId] = await publish(creator, 1, { publishedAt: addMs(setup.harness.now(), -30 * DAY_MS) });
  await runSync(creator);
  const [row] = await storedMetrics(creator);
  if (!row?.readyThrough) throw new Error("Nothing is final.");
  expect(row).toMatchObject({ pinId, state: "ready", accountId: creator.account.id });
  const days = (Date.parse(row.readyThrough) - Date.parse(row.firstDay)) / DAY_MS + 1;
  expect(days).toBe(29);
  for (const list of [row.impressions, row.pinClicks, row.outboundClicks, row.saves]) {
    expect(list).toHaveLength(days);
    expect(list).toEqual(list.toSorted((a, b) => a - b));
  }
  const [published] = await setup.publicPins(creator);
  const answer = await withAccessToken(setup.job(), creator.account.id, (access) =>
    setup.harness.ports.pinterest.readPinAnalytics(access, published?.id ?? "", {
      firstDay: row.firstDay,
      lastDay: row.readyThrough ?? "",
    }),
  );
  if (answer.kind !== "ok") throw new Error("Pinterest returned no data.");
  const sum = answer.value.reduce((all, { metrics: one }) => all + (one?.impressions ?? 0), 0);
  expect(row.impressions.at(-1)).toBe(sum);
});
