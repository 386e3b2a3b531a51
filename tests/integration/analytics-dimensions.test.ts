import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import type { UserId } from "#lib/core/ids.ts";
import { ROWS_MAX } from "#lib/features/analytics/constants.ts";
import { type SeededPin, seedPins } from "#tests/support/analytics-seed.ts";
import { analyticsHarness, type Publisher, report } from "./analytics-harness.ts";

const { harness, publisher } = analyticsHarness();

/** Key, label, pins and impressions of each group, in the order of the report. */
const groups = async (own: Publisher, by: string) =>
  (await report(own, { by })).rows.map(({ key, label, pins, figures }) => [key, label, pins, figures.impressions]);

const seeded = async (pins: SeededPin[]): Promise<Publisher> => {
  const own = await publisher();
  // Impressions differ enough that the order identifies the rows.
  const seen = pins.map((pin, n) => ({ daily: { impressions: 100 - n }, ...pin }));
  await seedPins(own.ctx, own.accountId, seen);
  return own;
};

const liveIn = async ({ ctx }: Publisher, zone: { timeZone?: string; chosenTimeZone?: string | null }) => {
  if (ctx.actor.kind !== "user") throw new Error("Somebody lives there.");
  const userId: UserId = ctx.actor.userId;
  await harness().database.db.update(users).set(zone).where(eq(users.id, userId));
};

const publishedAt = (iso: string): SeededPin => ({ row: { publishedAt: new Date(iso) } });

describe("A-83 dimensions", () => {
  test("A-83 groups by board id without a name", async () => {
    const own = await seeded([{ row: { boardId: "11" } }, { row: { boardId: "22" } }, { row: { boardId: "22" } }]);
    expect(await groups(own, "board")).toEqual([
      ["22", null, 2, 197 * 7],
      ["11", null, 1, 700],
    ]);
  });

  test("A-83 groups by AI images and uploaded images", async () => {
    const own = await seeded([{ row: { source: "manual" } }, { row: { source: "ai" } }, { row: { source: "ai" } }]);
    expect(await groups(own, "style")).toEqual([
      ["ai", "AI image", 2, 197 * 7],
      ["manual", "Your image", 1, 700],
    ]);
  });

  test("A-83 groups by template, including retired ones and none", async () => {
    const choice = { words: "Slow bread", signature: "", hasLogo: false };
    const own = await seeded([
      { row: { template: { id: "veil", ...choice } } },
      { row: { template: { id: "gone", ...choice } } },
      { row: { template: null } },
    ]);
    expect(await groups(own, "template")).toEqual([
      ["veil", "Fade", 1, 700],
      ["gone", "gone", 1, 693],
      ["", "No template", 1, 686],
    ]);
  });

  test("A-83 groups links without tracking parameters", async () => {
    const own = await seeded([
      { row: { link: "https://www.shop.example/lamps/?utm_source=pinterest&UTM_Campaign=x" } },
      { row: { link: "http://www.shop.example/lamps#top" } },
      { row: { link: "https://www.shop.example/lamps/?colour=red%20wine&utm_term=a" } },
      { row: { link: "https://WWW.shop.example" } },
      { row: { link: null } },
      { row: { link: "not an address" } },
    ]);
    expect(await groups(own, "link")).toEqual([
      ["www.shop.example/lamps", "www.shop.example/lamps", 2, 199 * 7],
      ["www.shop.example/lamps?colour=red+wine", "www.shop.example/lamps?colour=red+wine", 1, 98 * 7],
      ["www.shop.example", "www.shop.example", 1, 97 * 7],
      ["", "No link", 1, 96 * 7],
      ["not an address", "not an address", 1, 95 * 7],
    ]);
  });

  test("A-83 strips utm parameters at any position, and nothing that only looks like one", async () => {
    const of = (...links: string[]) => links.map((link) => ({ row: { link } }));
    const own = await seeded([
      ...of("https://a.example/x?utm_a=1&UTM_b=2#utm_c", "https://a.example/x?utm_a&", "http://a.example/x/?&utm_a=3"),
      ...of("https://a.example/x#y?utm_a=1", "https://a.example/x?utm%5Fa=1", "https://a.example/x?utm_a=4?b=1"),
      ...of("https://b.example/?c=1?utm_a=1", "https://b.example/?utm_a=2&c=1?utm_a=1"),
      ...of("https://c.example/y&utm_a=1", "https://d.example/?not_utm_a=1"),
    ]);
    expect((await groups(own, "link")).map(([key, , pins]) => [key, pins])).toEqual([
      ["a.example/x", 6],
      ["b.example?c=1?utm_a=1", 1],
      ["b.example?c=1%3Futm_a%3D1", 1],
      ["c.example/y&utm_a=1", 1],
      ["d.example?not_utm_a=1", 1],
    ]);
  });

  test("A-83 R-SRV-06 weekdays and hours are in the user's time zone, with the offset of that day", async () => {
    const own = await seeded([
      // In Kathmandu, 5:45 ahead, a Monday at 0:15; in New York a Sunday, at 13:30 and, after summer time, at 12:30.
      publishedAt("2026-10-25T18:30:00Z"),
      publishedAt("2026-11-01T17:30:00Z"),
    ]);
    expect(await groups(own, "weekday")).toEqual([["7", "Sunday", 2, 199 * 7]]);
    await liveIn(own, { timeZone: "Asia/Kathmandu" });
    expect(await groups(own, "weekday")).toEqual([
      ["1", "Monday", 1, 700],
      ["7", "Sunday", 1, 693],
    ]);
    expect(await groups(own, "hour")).toEqual([
      ["0", "00:00", 1, 700],
      ["23", "23:00", 1, 693],
    ]);
    await liveIn(own, { timeZone: "America/New_York" });
    // 18:30 in UTC is 14:30 while summer time lasts, 17:30 is 12:30 from its end on.
    expect(await groups(own, "hour")).toEqual([
      ["14", "14:00", 1, 700],
      ["12", "12:00", 1, 693],
    ]);
    await liveIn(own, { chosenTimeZone: "+13:00" });
    expect((await groups(own, "weekday")).map(([key]) => key)).toEqual(["1"]);
    expect((await groups(own, "hour")).map(([key]) => key)).toEqual(["7", "6"]);
  });

  test("A-83 R-SRV-06 daylight saving changes apply to the minute", async () => {
    const own = await seeded([
      publishedAt("2026-10-25T00:59:59Z"),
      publishedAt("2026-10-25T01:00:00Z"),
      publishedAt("2026-03-29T00:59:59Z"),
      publishedAt("2026-03-29T01:00:00Z"),
    ]);
    await liveIn(own, { timeZone: "Europe/Berlin" });
    expect(await groups(own, "hour")).toEqual([
      ["2", "02:00", 2, 199 * 7],
      ["1", "01:00", 1, 98 * 7],
      ["3", "03:00", 1, 97 * 7],
    ]);
  });

  test("A-83 groups beyond the limit are counted and included in the totals", async () => {
    const own = await publisher();
    const pins = Array.from({ length: ROWS_MAX + 3 }, (_, n) => ({
      row: { link: `https://example.com/${n}` },
      daily: { impressions: 1 },
    }));
    await seedPins(own.ctx, own.accountId, pins);
    const { rows, more, undecided, uncounted, totals } = await report(own, { by: "link" });
    expect([rows.length, more, totals.impressions]).toEqual([ROWS_MAX, 3, (ROWS_MAX + 3) * 7]);
    expect([undecided, uncounted], "of all groups, not of those that are listed").toEqual([ROWS_MAX + 3, 0]);
  });
});
