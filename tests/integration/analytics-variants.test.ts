import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { readVariants } from "#lib/features/analytics/variants.ts";
import { type SeededPin, seedPins } from "#tests/support/analytics-seed.ts";
import { analyticsHarness, type Publisher } from "./analytics-harness.ts";

const { harness, publisher } = analyticsHarness();

/** Published a hundred days ago, if not said otherwise. */
const pin = (title: string, link: string | null, outboundClicks: number, publishedAt?: Date): SeededPin => ({
  row: { title, link, keyword: title, ...(publishedAt && { publishedAt }) },
  daily: { impressions: 100, outboundClicks },
});

test("proposes the most clicked pin of each link, without links that have a newer pin", async () => {
  const { ctx, accountId } = await publisher();
  const ids = await seedPins(ctx, accountId, [
    pin("Bread", "https://shop.test/bread", 2),
    pin("Bread, tagged", "https://shop.test/bread?utm_source=pin", 1, addMs(ctx.now(), -90 * DAY_MS)),
    pin("Soup", "https://shop.test/soup", 3),
    pin("Cake", "https://shop.test/cake", 9),
    pin("Cold", "https://shop.test/cold", 0),
    pin("No link", null, 9),
  ]);
  const waiting = { status: "draft" as const, publishedAt: null, pinterestPinId: null };
  const [draft] = await seedPins(ctx, accountId, [pin("Cake again", "https://shop.test/cake", 0)]);
  await ctx.db
    .update(pins)
    .set(waiting)
    .where(eq(pins.id, draft ?? ""));
  const titles = async () => {
    const { proposals, compared } = await readVariants(ctx, { accountId });
    return [
      proposals.map((proposal) => proposal.pin.title),
      compared.map(({ pins: all }) => all.map(({ title }) => title)),
    ];
  };
  expect(await titles()).toEqual([["Soup", "Bread"], [["Bread", "Bread, tagged"]]]);
  await ctx.db
    .update(pins)
    .set({ status: "deleted" })
    .where(eq(pins.id, draft ?? ""));
  expect(await titles()).toEqual([["Cake", "Soup", "Bread"], [["Bread", "Bread, tagged"]]]);
  await ctx.db
    .update(pins)
    .set({ publishedAt: addMs(ctx.now(), -30 * DAY_MS) })
    .where(eq(pins.id, ids[2] ?? ""));
  expect((await titles())[0]).toEqual(["Cake", "Bread"]);
  const stranger = await publisher();
  await expect(readVariants(stranger.ctx, { accountId })).rejects.toMatchObject({ code: "not_found" });
  expect(await readVariants(stranger.ctx, { accountId: stranger.accountId })).toEqual({ proposals: [], compared: [] });
});

test("proposes no variant of a link that a pin is being generated for", async () => {
  const { ctx, accountId } = await publisher();
  const userId = requireUserId(ctx);
  await seedPins(ctx, accountId, [
    pin("Bread", "https://shop.test/bread", 2),
    pin("Soup", "https://shop.test/soup", 3),
  ]);
  const titles = async () => (await readVariants(ctx, { accountId })).proposals.map((proposal) => proposal.pin.title);
  expect(await titles()).toEqual(["Soup", "Bread"]);
  const [groupId, id, createdAt] = [ctx.newId("group"), ctx.newId("task"), ctx.now()];
  const group = {
    id: groupId,
    userId,
    accountId,
    boardId: "1",
    quality: "standard" as const,
    totalTasks: 1,
    createdAt,
  };
  await ctx.db.insert(generationGroups).values(group);
  await ctx.db.insert(generationTasks).values({
    ...{ id, groupId, userId, position: 0, keyword: "soup", url: "https://shop.test/soup?utm_source=pin" },
    ...{ costCredits: 1, status: "PENDING" as const, wakeAt: createdAt, createdAt },
  });
  expect(await titles()).toEqual(["Bread"]);
  await ctx.db.update(generationTasks).set({ finishedAt: createdAt, status: "FAILURE" });
  expect(await titles()).toEqual(["Soup", "Bread"]);
});

const proposedTitles = async ({ ctx, accountId }: Publisher) =>
  (await readVariants(ctx, { accountId })).proposals.map((proposal) => proposal.pin.title);

describe("a new pin for a page ends its proposal, however its link is written", () => {
  const SHOP = "https://shop.test/mug";

  test.each([
    [`${SHOP}?variant=2&utm_campaign=spring`, `${SHOP}?variant=2&utm_campaign=summer`],
    [`${SHOP}?utm_campaign=spring&variant=2`, `${SHOP}?variant=2`],
    [`${SHOP}?variant=2`, `${SHOP}/?variant=2&utm_campaign=summer#reviews`],
    [SHOP, `${SHOP}/`],
    [`${SHOP}/?utm_source=pin`, SHOP],
    [SHOP, "http://shop.test/mug"],
    ["http://shop.test/mug/?variant=2&utm_source=pin", `${SHOP}?variant=2`],
  ])("%s, and then %s", async (clicked, link) => {
    const own = await publisher();
    const other = "https://shop.test/mug?variant=3";
    await seedPins(own.ctx, own.accountId, [pin("Mug", clicked, 5), pin("Other mug", other, 1)]);
    expect(await proposedTitles(own)).toEqual(["Mug", "Other mug"]);
    const draft = { status: "draft" as const, publishedAt: null, pinterestPinId: null };
    const [id = ""] = await seedPins(own.ctx, own.accountId, [{ row: { ...draft, link }, daily: null }]);
    expect(await proposedTitles(own)).toEqual(["Other mug"]);
    await own.ctx.db.update(pins).set({ status: "deleted" }).where(eq(pins.id, id));
    expect(await proposedTitles(own)).toEqual(["Mug", "Other mug"]);
    // As two variants that did worse.
    const worse = pin("Worse", link, 0, addMs(own.ctx.now(), -80 * DAY_MS));
    await seedPins(own.ctx, own.accountId, [worse, worse]);
    expect(await proposedTitles(own)).toEqual(["Other mug"]);
  });
});

test("a page with very many pins doesn't cut off the pins of others", async () => {
  const own = await publisher();
  const bread = { title: "Bread", link: "https://shop.test/bread", keyword: null };
  await seedPins(own.ctx, own.accountId, [
    pin("Soup", "https://shop.test/soup", 1),
    { row: bread, daily: { impressions: 100, outboundClicks: 9 } },
    ...Array.from({ length: 2_000 }, () => ({
      row: { ...bread, createdAt: addMs(own.ctx.now(), -70 * DAY_MS) },
      daily: null,
    })),
  ]);
  expect(await proposedTitles(own)).toContain("Soup");
});

test("metrics older than a day don't count", async () => {
  const { ctx, accountId } = await publisher();
  await seedPins(ctx, accountId, [pin("Bread", "https://shop.test/bread", 2)]);
  expect((await readVariants(ctx, { accountId })).proposals).toHaveLength(1);
  await harness().moveClock(25 * 60 * 60 * 1_000);
  expect((await readVariants(ctx, { accountId })).proposals).toEqual([]);
});
