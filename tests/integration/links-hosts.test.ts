import { describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { announceChecks, checkLink, requestChecks, sweepChecks } from "#lib/features/links/checks.ts";
import { FORGOTTEN_FIRST_MS, HOST_CHECKS_MAX, HOST_PAUSE_MS } from "#lib/features/links/constants.ts";
import { linksWorld } from "./links-house.ts";

const world = linksWorld();

describe("hosts", () => {
  test("R-SRV-08 a host that is longer than any name may be has its verdict as well", async () => {
    const maker = await world.makeMaker();
    const label = "a".repeat(50);
    for (const url of [`https://${"x".repeat(400)}.test/`, `https://${`${label}.`.repeat(8)}test/page`]) {
      const pinId = await world.draftTo(maker, url);
      expect(await world.check(url)).toBe("dead");
      expect(await world.postOf(maker, pinId)).toMatchObject({ url, link_state: "dead", link_checking: false });
    }
  });

  test("a host has so many checks in a minute, whoever asks; the next one waits", async () => {
    const maker = await world.makeMaker();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 1 }, () => world.page(200, "other.test"));
    await requestChecks(maker.ctx, { links: urls });
    await announceChecks(maker.ctx, { links: urls });
    const last = urls.pop() ?? "";
    for (const url of urls) await world.check(url);
    const [request] = world.asked(last);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(world.job(), { ...request, looks: 0 })).toEqual({
      kind: "later",
      afterMs: HOST_PAUSE_MS,
      looks: 0,
    });
    expect(world.visits(last)).toBe(0);
    await world.moveClock(61 * SECOND_MS);
    expect(await world.check(last)).toBe("insecure");
  });

  test("R-SRV-08 many checks of one host at once take no more places than there are", async () => {
    const maker = await world.makeMaker();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 8 }, () => world.page(200, "www.shop.test"));
    await requestChecks(maker.ctx, { links: urls });
    await announceChecks(maker.ctx, { links: urls });
    const requests = urls.flatMap((url) => world.asked(url).slice(-1));
    const moves = await Promise.all(requests.map((request) => checkLink(world.job(), { ...request, looks: 0 })));
    expect(moves.filter(({ kind }) => kind === "later")).toHaveLength(8);
  });

  test("a check that waits for its host's turn is alive: the sweep sends no second event for it", async () => {
    const maker = await world.makeMaker();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 1 }, () => world.page(200, "bit.ly"));
    await requestChecks(maker.ctx, { links: urls });
    await announceChecks(maker.ctx, { links: urls });
    await world.moveClock(FORGOTTEN_FIRST_MS - MINUTE_MS);
    const last = urls.pop() ?? "";
    for (const url of urls) await world.check(url);
    const [request] = world.asked(last);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(world.job(), { ...request, looks: 0 })).toMatchObject({ kind: "later" });
    await world.moveClock(2 * MINUTE_MS);
    await sweepChecks(world.job());
    expect(world.asked(last)).toHaveLength(1);
    await world.moveClock(FORGOTTEN_FIRST_MS);
    await sweepChecks(world.job());
    expect(world.asked(last)).toHaveLength(2);
  });

  /** Asks that addresses be checked, and looks at one of them once, as the first step of its check. */
  const lookOnce = async (urls: string[], url: string) => {
    const [request] = world.asked(url);
    if (!request) throw new Error(`${url} was not asked for, of ${urls.length}.`);
    return checkLink(world.job(), { ...request, looks: 0 });
  };
  const LATER = { kind: "later", afterMs: HOST_PAUSE_MS, looks: 0 };

  test("R-SRV-08 names below one registered name share its places", async () => {
    // Each test begins at the same hour: this is after what the others asked.
    await world.moveClock(20 * MINUTE_MS);
    const maker = await world.makeMaker();
    const urls = Array.from({ length: HOST_CHECKS_MAX }, (_, at) =>
      world.page(200, at % 2 === 0 ? "shop.test" : "www.shop.test"),
    );
    const last = world.page(200, "www.shop.test");
    const all = [...urls, last];
    await requestChecks(maker.ctx, { links: all });
    await announceChecks(maker.ctx, { links: all });
    for (const url of urls) await world.check(url);
    expect(await lookOnce(all, last)).toEqual(LATER);
    expect(world.visits(last)).toBe(0);
  });

  test("R-SRV-08 a redirect counts where it leads: no site is asked more often by way of another one", async () => {
    await world.moveClock(40 * MINUTE_MS);
    const maker = await world.makeMaker();
    const targets = Array.from({ length: HOST_CHECKS_MAX }, () => world.page(200, "other.test"));
    const half = HOST_CHECKS_MAX / 2;
    const shorts = targets.slice(0, half).map((to) => world.page({ to }, "bit.ly"));
    const late = world.page(200, "other.test");
    const lateShort = world.page({ to: late }, "bit.ly");
    const all = [...shorts, ...targets.slice(half), late, lateShort];
    await requestChecks(maker.ctx, { links: all });
    await announceChecks(maker.ctx, { links: all });
    for (const url of [...shorts, ...targets.slice(half)]) expect((await lookOnce(all, url)).kind).toBe("done");
    expect(await lookOnce(all, late)).toEqual(LATER);
    expect(await lookOnce(all, lateShort)).toEqual(LATER);
    expect(world.visits(late)).toBe(0);
    // The check that waits is alive, and ends once there is room again.
    await world.moveClock(FORGOTTEN_FIRST_MS - MINUTE_MS);
    await sweepChecks(world.job());
    expect(world.asked(lateShort)).toHaveLength(1);
    expect(await lookOnce(all, lateShort)).toEqual({ kind: "done", state: "shortener" });
    expect(world.visits(late)).toBe(1);
  });
});
