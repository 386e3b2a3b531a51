import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks, siteRequests } from "#db/schema/links.ts";
import { databaseTime } from "#lib/context.ts";
import { addMs, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { checkLink, requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { HOST_CHECKS_MAX, RESERVED_WINDOW_MS, SHARED_HOST_CHECKS_MAX } from "#lib/features/links/constants.ts";
import { createTurns, reserveRedirect } from "#lib/features/links/site-limits.ts";
import { linksSetup } from "./links-harness.ts";

const setup = linksSetup();

/** How many of these requests may be made now. */
const granted = async (sites: readonly string[]): Promise<number> => {
  const job = setup.job();
  const waits = await Promise.all(sites.map((site) => reserveRedirect(job, site)));
  return waits.filter((wait) => wait === null).length;
};

const manyOf = (site: string, count = HOST_CHECKS_MAX + 5) => Array.from({ length: count }, () => site);

describe("shops of one shared host", () => {
  test("have a limit each", async () => {
    expect(await granted(manyOf("fern.myshopify.com"))).toBe(HOST_CHECKS_MAX);
    expect(await granted(manyOf("moss.myshopify.com"))).toBe(HOST_CHECKS_MAX);
  });

  test("don't wait for the queue of another one", async () => {
    const pages = Array.from({ length: HOST_CHECKS_MAX + SHARED_HOST_CHECKS_MAX + 30 }, (_, n) => `page ${n}`);
    const waits = await Promise.all(pages.map((page) => createTurns(setup.job(), page)("long.myshopify.com")));
    expect(waits.filter(Boolean)).toHaveLength(SHARED_HOST_CHECKS_MAX + 30);
    expect(await granted(manyOf("short.myshopify.com"))).toBe(HOST_CHECKS_MAX);
  });

  test.each([
    ["blogspot.com", "spread over its time", (n: number) => (n * RESERVED_WINDOW_MS) / SHARED_HOST_CHECKS_MAX],
    ["weebly.com", "all at one moment", () => SECOND_MS],
  ])("wait for a full queue on %s that is longer than one page, %s", async (host, _how, offsetMs) => {
    const { db } = setup.job();
    const now = await databaseTime(setup.job());
    const times = Array.from({ length: 12 * SHARED_HOST_CHECKS_MAX }, (_, n) => addMs(now, offsetMs(n)));
    await db.insert(siteRequests).values(times.map((at) => ({ site: `*.${host}`, at })));
    const last = times.at(-1)?.getTime() ?? 0;
    const wait = await reserveRedirect(setup.job(), `fern.${host}`);
    expect(wait?.untilMs).toBeGreaterThan(last);
    expect(wait?.untilMs).toBeLessThanOrEqual(last + RESERVED_WINDOW_MS);
  });

  test("don't use up the limit of the host's own address, which counts with them", async () => {
    const shops = Array.from({ length: SHARED_HOST_CHECKS_MAX - 20 }, (_, n) => `shop${n}.payhip.com`);
    expect(await granted(shops)).toBe(shops.length);
    expect(await granted(manyOf("payhip.com", 18))).toBe(18);
    expect(await granted(manyOf("fern.payhip.com", 5))).toBe(2);
  });

  test("have a limit together, for link checks too, and a page that waits has its place in both", async () => {
    const shops = Array.from({ length: SHARED_HOST_CHECKS_MAX + 20 }, (_, n) => `shop${n}.tumblr.com`);
    expect(await granted(shops)).toBe(SHARED_HOST_CHECKS_MAX);
    expect(await granted(["shop1.substack.com"])).toBe(1);
    const takeTurn = createTurns(setup.job(), "page");
    const wait = await takeTurn("late.tumblr.com");
    expect(wait?.afterMs).toBeGreaterThan(0);
    expect(await takeTurn("late.tumblr.com")).toEqual({ ...wait, afterMs: expect.any(Number) });
    const rows = await setup.job().db.select().from(siteRequests).where(eq(siteRequests.site, "*.tumblr.com"));
    expect(rows.filter(({ at }) => at.getTime() === wait?.untilMs)).toHaveLength(1);
    const creator = await setup.insertCreator();
    const url = "https://fern.tumblr.com/post";
    await requestChecks(creator.ctx, { links: [url] });
    await sendCheckEvents(creator.ctx, { links: [url] });
    const [row] = await creator.ctx.db.select().from(linkChecks).where(eq(linkChecks.url, url));
    const request = {
      urlHash: row?.urlHash ?? "",
      host: row?.host ?? "",
      requestedAt: row?.requestedAt.getTime() ?? 0,
      tries: 0,
    };
    expect(await checkLink(setup.job(), request)).toMatchObject({ kind: "later" });
    await setup.moveClock(2 * MINUTE_MS);
    expect(await granted(shops)).toBeGreaterThanOrEqual(SHARED_HOST_CHECKS_MAX - 2);
    expect(await granted(shops)).toBe(0);
  });
});
