import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { askForResults, sweepGathers } from "#lib/features/analytics/gathering-queue.ts";
import { retireFigures } from "#lib/features/analytics/stored-figures.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { gatheringWorld, NOTHING_LEFT } from "./gathering-house.ts";

const { world, publish, ask, run, gather, figures, gatherRow, calls } = gatheringWorld();

describe("twice, cut short, and meanwhile", () => {
  test("A-83 a move that runs twice writes the same once, and two runs at once do no harm", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 250);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const move = () => gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    const ends = await Promise.all([move(), gatherResults(world.job("other"), { ...request, walk: NOTHING_LEFT })]);
    expect(ends.map(({ kind }) => kind)).toContain("done");
    const once = (await figures(maker)).map(({ fetchedAt: _, ...rest }) => rest);
    expect(once).toHaveLength(250);
    expect((await calls()).refused).toEqual([]);
    expect(await move()).toEqual({ kind: "done", outcome: "not_needed" });
    await world.moveClock(19 * HOUR_MS);
    expect((await gather(maker)).outcome).toBe("covered");
    const again = (await figures(maker)).map(({ pinId }) => pinId);
    expect(new Set(again)).toEqual(new Set(once.map(({ pinId }) => pinId)));
  });

  test("A-83 a process that dies between the call and the store loses that call alone", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 150);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const ctx = world.job();
    const dying = {
      ...ctx,
      pinterest: {
        ...ctx.pinterest,
        readPinsAnalytics: async (...asked: Parameters<typeof ctx.pinterest.readPinsAnalytics>) => {
          await ctx.pinterest.readPinsAnalytics(...asked);
          throw new Error("killed");
        },
      },
    };
    await expect(gatherResults(dying, { ...request, walk: NOTHING_LEFT })).rejects.toThrow("killed");
    expect(await figures(maker)).toEqual([]);
    await world.moveClock(6 * MINUTE_MS);
    expect(await sweepGathers(world.job())).toEqual({ sent: 1 });
    expect((await run({ ...request, sweeps: 1 })).outcome).toBe("covered");
    expect(await figures(maker)).toHaveLength(150);
  });

  test("A-83 D8 an account that is removed while it is read keeps no figures, and its run ends quietly", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 150);
    const request = await ask(maker);
    const ctx = world.job();
    const meanwhile = {
      ...ctx,
      pinterest: {
        ...ctx.pinterest,
        readPinAnalytics: ctx.pinterest.readPinAnalytics,
        readPinsAnalytics: async (...asked: Parameters<typeof ctx.pinterest.readPinsAnalytics>) => {
          const answer = await ctx.pinterest.readPinsAnalytics(...asked);
          await removeAccount(maker.ctx, { accountId: maker.account.id });
          return answer;
        },
      },
    };
    const second = { ...request, accountId: maker.account.id, generation: request?.generation ?? 0, sweeps: 0 };
    const ended = await run(second, meanwhile).catch((error: unknown) => error);
    expect(ended).toMatchObject({ outcome: "held" });
    expect(await figures(maker)).toEqual([]);
    expect(await gatherRow(maker)).toMatchObject({ wakeAt: null, problemText: null });
    expect((await run(second)).outcome).toBe("not_needed");
  });

  test("A-83 D8 figures go with a removed account, and with their hours", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    await publish(maker, 5);
    await publish(other, 5);
    await gather(maker);
    await gather(other);
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    expect(await figures(maker)).toEqual([]);
    await retireFigures(world.job());
    await world.moveClock(DAY_MS + MINUTE_MS);
    expect(await figures(other)).toHaveLength(5);
    await retireFigures(world.job());
    expect(await figures(other)).toEqual([]);
  });

  test("D8 where no figures are kept nothing is asked for, a run ends, and what was kept goes", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 5);
    await gather(maker);
    await publish(maker, 1);
    const request = await ask(maker);
    const off = { ...world.job(), settings: { ...world.house.settings, analyticsCacheHours: 0 } };
    expect((await run(request, off)).outcome).toBe("off");
    const asking = await askForResults({ ...maker.ctx, settings: off.settings }, { accountId: maker.account.id });
    expect(asking).toEqual({ isAsked: false });
    await retireFigures(off);
    expect(await figures(maker)).toEqual([]);
  });
});
