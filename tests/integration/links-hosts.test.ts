import { inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { databaseTime } from "#lib/context.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { checkLink, requestChecks, sendCheckEvents, sweepChecks } from "#lib/features/links/checks.ts";
import {
  HOST_CHECKS_MAX,
  HOST_WINDOW_MS,
  RESERVED_GAP_MS,
  RESERVED_LATE_MS,
  RESERVED_WINDOW_MS,
  STALLED_FIRST_MS,
} from "#lib/features/links/constants.ts";
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
    const move = await checkLink(setup.job(), { ...request, tries: 0 });
    expect(move).toEqual({ kind: "later", afterMs: expect.any(Number), tries: 0, reservedMs: expect.any(Number) });
    expect(Object(move).afterMs).toBeLessThanOrEqual(RESERVED_WINDOW_MS);
    // A second run of the same check waits for the same time.
    expect(await checkLink(setup.job("other"), { ...request, tries: 0 })).toMatchObject({
      reservedMs: Object(move).reservedMs,
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
  const LATER = { kind: "later", tries: 0 };

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
    expect(await checkOnce(all, last)).toMatchObject(LATER);
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
    expect(await checkOnce(all, late)).toMatchObject(LATER);
    expect(await checkOnce(all, lateShort)).toMatchObject(LATER);
    expect(setup.visits(late)).toBe(0);
    // The waiting check is alive and ends once the limit allows.
    await setup.moveClock(STALLED_FIRST_MS - MINUTE_MS);
    await sweepChecks(setup.job());
    expect(setup.requested(lateShort)).toHaveLength(1);
    expect(await checkOnce(all, lateShort)).toEqual({ kind: "done", state: "shortener" });
    expect(setup.visits(late)).toBe(1);
  });

  /** Requests checks of new pages of a site and runs the first step of each. */
  const startAll = async (count: number) => {
    const creator = await setup.insertCreator();
    const links = Array.from({ length: count }, () => setup.page(200, "shop.test"));
    await requestChecks(creator.ctx, { links });
    await sendCheckEvents(creator.ctx, { links });
    const requests = links.flatMap((url) => setup.requested(url).slice(-1));
    const moves = await Promise.all(
      requests.map(async (request) => ({
        request,
        move: await checkLink(setup.job(), { ...request, tries: 0 }),
      })),
    );
    const waiting = moves.flatMap(({ request, move }) =>
      move.kind === "later" && move.reservedMs !== null
        ? [{ request, afterMs: move.afterMs, reservedMs: move.reservedMs }]
        : [],
    );
    return { links, waiting: waiting.toSorted((a, b) => a.reservedMs - b.reservedMs) };
  };

  test("R-SRV-08 checks above the limit wait once, each for its own time, and never exceed the limit", async () => {
    await setup.moveClock(60 * MINUTE_MS);
    const { links, waiting } = await startAll(HOST_CHECKS_MAX + 40);
    expect(waiting).toHaveLength(40);
    for (const [index, { reservedMs }] of waiting.entries()) {
      expect(reservedMs - (waiting[index - 1]?.reservedMs ?? 0)).toBeGreaterThanOrEqual(RESERVED_GAP_MS);
    }
    for (const { request, reservedMs } of waiting) {
      await setup.moveClock(reservedMs - (await databaseTime(setup.job())).getTime());
      expect(await checkLink(setup.job(), { ...request, tries: 0, reservedMs })).toMatchObject({ kind: "done" });
    }
    const rows = await setup
      .job()
      .db.select({ at: linkChecks.fetchedAt })
      .from(linkChecks)
      .where(inArray(linkChecks.url, links));
    const times = rows.map(({ at }) => at?.getTime() ?? 0).toSorted((a, b) => a - b);
    const spans = times.slice(HOST_CHECKS_MAX).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(HOST_WINDOW_MS);
  });

  test("R-SRV-08 a run that is late for its reserved time reserves another one instead of adding to the others", async () => {
    await setup.moveClock(90 * MINUTE_MS);
    const { waiting } = await startAll(HOST_CHECKS_MAX + 1);
    const [late] = waiting;
    if (!late) throw new Error("Nothing waits.");
    await setup.moveClock(late.afterMs + RESERVED_LATE_MS + SECOND_MS);
    // Together with the reserved request that was not made, these use up the limit.
    expect((await startAll(HOST_CHECKS_MAX - 1)).waiting).toEqual([]);
    const again = await checkLink(setup.job(), { ...late.request, tries: 0, reservedMs: late.reservedMs });
    expect(again).toMatchObject({ kind: "later" });
    expect(Object(again).reservedMs).toBeGreaterThan(late.reservedMs);
  });
});
