import { describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { checkLink, requestChecks, sendCheckEvents, sweepChecks } from "#lib/features/links/checks.ts";
import { HOST_CHECKS_MAX, HOST_PAUSE_MS, STALLED_FIRST_MS } from "#lib/features/links/constants.ts";
import { linksSetup } from "./links-harness.ts";

const setup = linksSetup();

describe("hosts", () => {
  test("R-SRV-08 a host longer than any valid name gets a result too", async () => {
    const creator = await setup.insertCreator();
    const label = "a".repeat(50);
    for (const url of [`https://${"x".repeat(400)}.test/`, `https://${`${label}.`.repeat(8)}test/page`]) {
      const pinId = await setup.draftTo(creator, url);
      expect(await setup.check(url)).toBe("dead");
      expect(await setup.postOf(creator, pinId)).toMatchObject({ url, link_state: "dead", link_checking: false });
    }
  });

  test("a host's checks per minute are limited for all users together; the next one waits", async () => {
    const creator = await setup.insertCreator();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 1 }, () => setup.page(200, "other.test"));
    await requestChecks(creator.ctx, { links: urls });
    await sendCheckEvents(creator.ctx, { links: urls });
    const last = urls.pop() ?? "";
    for (const url of urls) await setup.check(url);
    const [request] = setup.requested(last);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(setup.job(), { ...request, tries: 0 })).toEqual({
      kind: "later",
      afterMs: HOST_PAUSE_MS,
      tries: 0,
    });
    expect(setup.visits(last)).toBe(0);
    await setup.moveClock(61 * SECOND_MS);
    expect(await setup.check(last)).toBe("insecure");
  });

  test("R-SRV-08 concurrent checks of one host do not exceed the limit", async () => {
    const creator = await setup.insertCreator();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 8 }, () => setup.page(200, "www.shop.test"));
    await requestChecks(creator.ctx, { links: urls });
    await sendCheckEvents(creator.ctx, { links: urls });
    const requests = urls.flatMap((url) => setup.requested(url).slice(-1));
    const moves = await Promise.all(requests.map((request) => checkLink(setup.job(), { ...request, tries: 0 })));
    expect(moves.filter(({ kind }) => kind === "later")).toHaveLength(8);
  });

  test("the sweep sends no second event for a check that waits for its host", async () => {
    const creator = await setup.insertCreator();
    const urls = Array.from({ length: HOST_CHECKS_MAX + 1 }, () => setup.page(200, "bit.ly"));
    await requestChecks(creator.ctx, { links: urls });
    await sendCheckEvents(creator.ctx, { links: urls });
    await setup.moveClock(STALLED_FIRST_MS - MINUTE_MS);
    const last = urls.pop() ?? "";
    for (const url of urls) await setup.check(url);
    const [request] = setup.requested(last);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(setup.job(), { ...request, tries: 0 })).toMatchObject({ kind: "later" });
    await setup.moveClock(2 * MINUTE_MS);
    await sweepChecks(setup.job());
    expect(setup.requested(last)).toHaveLength(1);
    await setup.moveClock(STALLED_FIRST_MS);
    await sweepChecks(setup.job());
    expect(setup.requested(last)).toHaveLength(2);
  });

  /** Requests checks of links and runs the first step of one of them. */
  const checkOnce = async (urls: string[], url: string) => {
    const [request] = setup.requested(url);
    if (!request) throw new Error(`${url} was not asked for, of ${urls.length}.`);
    return checkLink(setup.job(), { ...request, tries: 0 });
  };
  const LATER = { kind: "later", afterMs: HOST_PAUSE_MS, tries: 0 };

  test("R-SRV-08 subdomains of a registered domain share its limit", async () => {
    // All tests start at the same hour, so this is after the requests of the others.
    await setup.moveClock(20 * MINUTE_MS);
    const creator = await setup.insertCreator();
    const urls = Array.from({ length: HOST_CHECKS_MAX }, (_, at) =>
      setup.page(200, at % 2 === 0 ? "shop.test" : "www.shop.test"),
    );
    const last = setup.page(200, "www.shop.test");
    const all = [...urls, last];
    await requestChecks(creator.ctx, { links: all });
    await sendCheckEvents(creator.ctx, { links: all });
    for (const url of urls) await setup.check(url);
    expect(await checkOnce(all, last)).toEqual(LATER);
    expect(setup.visits(last)).toBe(0);
  });

  test("R-SRV-08 a redirect counts for its target: no site gets more requests by way of another one", async () => {
    await setup.moveClock(40 * MINUTE_MS);
    const creator = await setup.insertCreator();
    const targets = Array.from({ length: HOST_CHECKS_MAX }, () => setup.page(200, "other.test"));
    const half = HOST_CHECKS_MAX / 2;
    const shorts = targets.slice(0, half).map((to) => setup.page({ to }, "bit.ly"));
    const late = setup.page(200, "other.test");
    const lateShort = setup.page({ to: late }, "bit.ly");
    const all = [...shorts, ...targets.slice(half), late, lateShort];
    await requestChecks(creator.ctx, { links: all });
    await sendCheckEvents(creator.ctx, { links: all });
    for (const url of [...shorts, ...targets.slice(half)]) expect((await checkOnce(all, url)).kind).toBe("done");
    expect(await checkOnce(all, late)).toEqual(LATER);
    expect(await checkOnce(all, lateShort)).toEqual(LATER);
    expect(setup.visits(late)).toBe(0);
    // The waiting check is alive and ends once the limit allows.
    await setup.moveClock(STALLED_FIRST_MS - MINUTE_MS);
    await sweepChecks(setup.job());
    expect(setup.requested(lateShort)).toHaveLength(1);
    expect(await checkOnce(all, lateShort)).toEqual({ kind: "done", state: "shortener" });
    expect(setup.visits(late)).toBe(1);
  });
});
