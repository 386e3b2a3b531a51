import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeMetrics } from "#lib/features/analytics/stored-metrics.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { requestSync, sweepSyncs } from "#lib/features/analytics/sync-queue.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { NO_PROGRESS, syncHarness } from "./analytics-sync-harness.ts";

const { setup, publish, requestEvent, run, runSync, storedMetrics, syncRow, calls } = syncHarness();

describe("repeated, interrupted and concurrent runs", () => {
  test("A-83 a repeated step and two concurrent runs write the same rows once", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 250);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const step = () => syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    const ends = await Promise.all([step(), syncAnalytics(setup.job("other"), { ...request, progress: NO_PROGRESS })]);
    expect(ends.map(({ kind }) => kind)).toContain("done");
    const once = (await storedMetrics(creator)).map(({ fetchedAt: _, ...rest }) => rest);
    expect(once).toHaveLength(250);
    expect((await calls()).refused).toEqual([]);
    expect(await step()).toEqual({ kind: "done", outcome: "not_needed" });
    await setup.moveClock(19 * HOUR_MS);
    expect((await runSync(creator)).outcome).toBe("covered");
    const again = (await storedMetrics(creator)).map(({ pinId }) => pinId);
    expect(new Set(again)).toEqual(new Set(once.map(({ pinId }) => pinId)));
  });

  test("A-83 a crash between call and store loses only that call", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 150);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const ctx = setup.job();
    const dying = {
      ...ctx,
      pinterest: {
        ...ctx.pinterest,
        readPinsAnalytics: async (...args: Parameters<typeof ctx.pinterest.readPinsAnalytics>) => {
          await ctx.pinterest.readPinsAnalytics(...args);
          throw new Error("killed");
        },
      },
    };
    await expect(syncAnalytics(dying, { ...request, progress: NO_PROGRESS })).rejects.toThrow("killed");
    expect(await storedMetrics(creator)).toEqual([]);
    await setup.moveClock(6 * MINUTE_MS);
    expect(await sweepSyncs(setup.job())).toEqual({ sent: 1 });
    expect((await run({ ...request, sweeps: 1 })).outcome).toBe("covered");
    expect(await storedMetrics(creator)).toHaveLength(150);
  });

  test("A-83 an account removed during a call keeps no metrics, and its run ends", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 150);
    const request = await requestEvent(creator);
    const ctx = setup.job();
    const meanwhile = {
      ...ctx,
      pinterest: {
        ...ctx.pinterest,
        readPinAnalytics: ctx.pinterest.readPinAnalytics,
        readPinsAnalytics: async (...args: Parameters<typeof ctx.pinterest.readPinsAnalytics>) => {
          const answer = await ctx.pinterest.readPinsAnalytics(...args);
          await removeAccount(creator.ctx, { accountId: creator.account.id });
          return answer;
        },
      },
    };
    const second = { ...request, accountId: creator.account.id, generation: request?.generation ?? 0, sweeps: 0 };
    const ended = await run(second, meanwhile).catch((error: unknown) => error);
    expect(ended).toMatchObject({ outcome: "held" });
    expect(await storedMetrics(creator)).toEqual([]);
    expect(await syncRow(creator)).toMatchObject({ wakeAt: null, problemText: null });
    expect((await run(second)).outcome).toBe("not_needed");
  });

  test("A-83 metrics are deleted with a removed account, and when they expire", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    await publish(creator, 5);
    await publish(other, 5);
    await runSync(creator);
    await runSync(other);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    expect(await storedMetrics(creator)).toEqual([]);
    await purgeMetrics(setup.job());
    await setup.moveClock(DAY_MS + MINUTE_MS);
    expect(await storedMetrics(other)).toHaveLength(5);
    await purgeMetrics(setup.job());
    expect(await storedMetrics(other)).toEqual([]);
  });

  test("when metrics are not stored nothing is requested, a run ends, and stored metrics are deleted", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 5);
    await runSync(creator);
    await publish(creator, 1);
    const request = await requestEvent(creator);
    const off = { ...setup.job(), settings: { ...setup.harness.settings, analyticsCacheHours: 0 } };
    expect((await run(request, off)).outcome).toBe("off");
    const requests = await requestSync({ ...creator.ctx, settings: off.settings }, { accountId: creator.account.id });
    expect(requests).toEqual({ isRequested: false });
    await purgeMetrics(off);
    expect(await storedMetrics(creator)).toEqual([]);
  });
});
