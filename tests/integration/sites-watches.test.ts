import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { pageProposals, siteWatches } from "#db/schema/sites.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { applyRetentionRule } from "#lib/features/privacy/retention.ts";
import { PROPOSALS_MAX, PROPOSALS_PER_CHECK, WATCHES_MAX } from "#lib/features/sites/constants.ts";
import { countOwnProposals } from "#lib/features/sites/proposals.ts";
import {
  checkWatch,
  checkWatches,
  dismissProposals,
  findDueWatches,
  listWatches,
  unwatchSite,
  watchSite,
} from "#lib/features/sites/watches.ts";
import { rssOf, sitemapIndexOf, sitemapOf } from "#tests/support/fixture-site/feeds.ts";
import { READABLE_PAGES } from "#tests/support/fixture-site/pages.ts";
import type { Creator } from "./generation-harness.ts";
import { sitesSetup } from "./sites-harness.ts";

const { setup, origin, serve, requests } = sitesSetup();

const feed = () => `${origin()}/rss.xml`;
const showPages = (count: number) => serve({ "/rss.xml": (at) => rssOf(at, READABLE_PAGES.slice(-count)) });

/** A user who watches a feed with ten pages. */
const watcher = async (): Promise<Creator & { watchId: string }> => {
  const creator = await setup.insertCreator();
  showPages(10);
  const { watches } = await watchSite(creator.ctx, { text: feed() });
  return { ...creator, watchId: watches[0]?.id ?? "" };
};

const tomorrow = <R>(work: () => Promise<R>): Promise<R> => setup.harness.later(DAY_MS + HOUR_MS, work);

const check = (watchId: string) => checkWatch(setup.job(), { watchId });
const proposedTitles = async ({ ctx }: Creator) => (await listWatches(ctx)).proposals.map(({ title }) => title);

describe("a watched feed", () => {
  test("proposes nothing that was there, and each new page once, whatever runs twice", async () => {
    const own = await watcher();
    expect(await listWatches(own.ctx)).toMatchObject({
      watches: [{ name: "Fern & Fork", address: feed(), problem: null }],
      proposals: [],
    });
    showPages(12);
    expect(await check(own.watchId)).toMatchObject({ kind: "not_due" });
    await tomorrow(async () => {
      const runs = await Promise.all([check(own.watchId), check(own.watchId)]);
      expect(runs.map((run) => (run.kind === "checked" ? run.proposed : 0)).toSorted()).toEqual([0, 2]);
    });
    const { proposals } = await listWatches(own.ctx);
    const added = READABLE_PAGES.slice(-12, -10);
    expect(proposals.map(({ title, url }) => ({ title, url }))).toEqual(
      added.map(({ title, path }) => ({ title, url: `${origin()}${path}` })),
    );
    expect(await countOwnProposals(own.ctx)).toBe(2);
    // No generation: a draft or a credit would be one.
    expect(await own.ctx.db.$count(pins, eq(pins.userId, own.userId))).toBe(0);
    expect(await setup.buckets(own)).toEqual([0, 0, 0]);
  });

  test("a dismissed page, one that was pinned, and one that left the feed and returned aren't proposed again", async () => {
    const own = await watcher();
    showPages(13);
    await tomorrow(() => check(own.watchId));
    const { proposals } = await listWatches(own.ctx);
    const [dismissed, pinned] = proposals;
    await dismissProposals(own.ctx, { proposalIds: [dismissed?.id ?? ""] });
    const now = own.ctx.now();
    await own.ctx.db.insert(pins).values({
      ...{ id: own.ctx.newId("pin"), userId: own.userId, accountId: own.accountId, boardId: "1", status: "draft" },
      ...{ title: "T", description: "D", altText: "A", source: "manual", imageKey: "pins/a.jpg" },
      ...{ link: pinned?.url, createdAt: now, updatedAt: now },
    });
    expect(await countOwnProposals(own.ctx)).toBe(1);
    for (const count of [5, 13]) {
      showPages(count);
      await own.ctx.db.update(siteWatches).set({ nextAt: new Date(0) });
      await check(own.watchId);
    }
    expect(await proposedTitles(own)).toEqual([proposals[2]?.title]);
  });

  test("old pages that appear late aren't new, and one reading proposes a bounded number", async () => {
    const own = await setup.insertCreator();
    const urls = (from: number, to: number, date: string) =>
      Array.from(
        { length: to - from },
        (_, n) => `<url><loc>/p/${from + n}</loc><lastmod>${date}</lastmod></url>`,
      ).join("");
    serve({ "/map.xml": `<urlset>${urls(0, 3, "2026-11-01")}</urlset>` });
    const { watches } = await watchSite(own.ctx, { text: `${origin()}/map.xml` });
    const today = own.ctx.now().toISOString();
    serve({ "/map.xml": `<urlset>${urls(0, 50, "2019-01-01")}${urls(50, 200, today)}</urlset>` });
    const watchId = watches[0]?.id ?? "";
    await tomorrow(() => check(watchId));
    expect(await countOwnProposals(own.ctx)).toBe(PROPOSALS_PER_CHECK);
    // The others wait for the next readings.
    for (const count of [2, 3, 3]) {
      await own.ctx.db
        .update(siteWatches)
        .set({ nextAt: new Date(0) })
        .where(eq(siteWatches.id, watchId));
      await check(watchId);
      expect(await countOwnProposals(own.ctx)).toBe(count * PROPOSALS_PER_CHECK);
    }
  });

  test("whose first listing was cut proposes nothing from the first whole one, and new pages from then on", async () => {
    const own = await setup.insertCreator();
    const mapOf = (...names: string[]) =>
      `<urlset>${names.map((name) => `<url><loc>/p/${name}</loc></url>`).join("")}</urlset>`;
    serve({
      "/index.xml": (at) => sitemapIndexOf([`${at}/a.xml`, `${at}/b.xml`]),
      "/a.xml": mapOf("fern"),
      "/b.xml": { status: 404 },
    });
    const { watches } = await watchSite(own.ctx, { text: `${origin()}/index.xml` });
    const watchId = watches[0]?.id ?? "";
    serve({ "/b.xml": mapOf("moss", "mugs") });
    await tomorrow(() => check(watchId));
    expect(await proposedTitles(own)).toEqual([]);
    serve({ "/b.xml": mapOf("moss", "mugs", "bowls") });
    await own.ctx.db
      .update(siteWatches)
      .set({ nextAt: new Date(0) })
      .where(eq(siteWatches.id, watchId));
    await check(watchId);
    expect(await proposedTitles(own)).toEqual(["Bowls"]);
  });

  test("that is never listed as a whole proposes dated, recent pages only", async () => {
    const own = await setup.insertCreator();
    serve({
      "/index.xml": (at) => sitemapIndexOf([`${at}/a.xml`, `${at}/gone.xml`]),
      "/a.xml": "<urlset><url><loc>/p/fern</loc></url></urlset>",
    });
    const { watches } = await watchSite(own.ctx, { text: `${origin()}/index.xml` });
    const entryOf = (name: string, date?: Date) =>
      `<url><loc>/p/${name}</loc>${date ? `<lastmod>${date.toISOString()}</lastmod>` : ""}</url>`;
    const entries = [entryOf("moss"), entryOf("mugs", new Date("2019-01-01")), entryOf("bowls", own.ctx.now())];
    serve({ "/a.xml": `<urlset>${entries.join("")}</urlset>` });
    await tomorrow(() => check(watches[0]?.id ?? ""));
    expect(await proposedTitles(own)).toEqual(["Bowls"]);
  });

  test("with a date that can't be right proposes the page without it, but none that robots.txt disallows", async () => {
    const own = await watcher();
    const item = (slug: string) => `<item><link>/${slug}</link><pubDate>20 Nov 20226</pubDate></item>`;
    serve({
      "/rss.xml": `<rss><channel>${item("late-ferns")}${item("private")}</channel></rss>`,
      "/robots.txt": "User-agent: *\nDisallow: /private",
    });
    await tomorrow(() => check(own.watchId));
    const { watches, proposals } = await listWatches(own.ctx);
    expect(watches).toMatchObject([{ problem: null }]);
    expect(proposals).toMatchObject([{ title: "Late ferns", date: null }]);
  });

  test("that fails says why, and is read the next day; a busy site sooner", async () => {
    const own = await watcher();
    serve({ "/rss.xml": { status: 404 } });
    await tomorrow(() => check(own.watchId));
    expect((await listWatches(own.ctx)).watches[0]?.problem).toBe("The page doesn't exist (404).");
    const [row] = await own.ctx.db.select().from(siteWatches).where(eq(siteWatches.id, own.watchId));
    expect(row?.failures).toBe(1);
    showPages(11);
    await own.ctx.db.update(siteWatches).set({ nextAt: new Date(0) });
    await check(own.watchId);
    expect((await listWatches(own.ctx)).watches[0]?.problem).toBeNull();
    expect(await countOwnProposals(own.ctx)).toBe(1);
  });

  test("belongs to its user: others can neither stop it nor dismiss its pages", async () => {
    const [own, other] = [await watcher(), await setup.insertCreator()];
    showPages(11);
    await tomorrow(() => check(own.watchId));
    const { proposals } = await listWatches(own.ctx);
    await expect(unwatchSite(other.ctx, { watchId: own.watchId })).rejects.toMatchObject({ code: "not_found" });
    const proposalIds = proposals.map(({ id }) => id);
    await expect(dismissProposals(other.ctx, { proposalIds })).rejects.toMatchObject({ code: "not_found" });
    expect(await countOwnProposals(other.ctx)).toBe(0);
    await unwatchSite(own.ctx, { watchId: own.watchId });
    expect(await listWatches(own.ctx)).toEqual({ watches: [], proposals: [] });
  });

  test("is one of a bounded number, and watching it again changes nothing", async () => {
    const { ctx } = await setup.insertCreator();
    serve(Object.fromEntries(Array.from({ length: WATCHES_MAX + 1 }, (_, n) => [`/${n}.xml`, sitemapOf])));
    const now = ctx.now();
    await ctx.db.insert(siteWatches).values(
      Array.from({ length: WATCHES_MAX - 1 }, (_, n) => ({
        ...{ id: ctx.newId("watch"), userId: ctx.actor.kind === "user" ? ctx.actor.userId : ("" as never), known: "" },
        ...{ address: `${origin()}/${n}.xml`, name: "Moss", createdAt: now, checkedAt: now, nextAt: now },
      })),
    );
    const last = `${origin()}/${WATCHES_MAX}.xml`;
    for (const _ of [1, 2]) expect((await watchSite(ctx, { text: last })).watches).toHaveLength(WATCHES_MAX);
    const oneMore = watchSite(ctx, { text: `${origin()}/${WATCHES_MAX - 1}.xml` });
    await expect(oneMore).rejects.toMatchObject({ code: "wrong_state" });
    await expect(watchSite(ctx, { text: `${origin()}/a\n${origin()}/b` })).rejects.toMatchObject({ code: "refused" });
  });
});

test("sites that are due are read, and none of deleted users", async () => {
  const [own, gone] = [await watcher(), await watcher()];
  await setup.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, gone.userId));
  await setup
    .job()
    .db.update(siteWatches)
    .set({ nextAt: new Date(0) })
    .where(eq(siteWatches.id, own.watchId));
  await setup
    .job()
    .db.update(siteWatches)
    .set({ nextAt: new Date(0) })
    .where(eq(siteWatches.id, gone.watchId));
  const due = await findDueWatches(setup.job());
  expect([due.includes(own.watchId), due.includes(gone.watchId)]).toEqual([true, false]);
  showPages(12);
  const before = requests().length;
  for (const watchId of due) await check(watchId);
  expect(requests().length).toBeGreaterThan(before);
  expect(await countOwnProposals(own.ctx)).toBe(2);
});

test("new pages are exported, deleted after 60 days, and gone with their user", async () => {
  const own = await watcher();
  showPages(11);
  await tomorrow(() => check(own.watchId));
  let text = "";
  for await (const piece of await exportData(own.ctx)) text += piece;
  expect(JSON.parse(text).watched_sites).toMatchObject([
    { address: feed(), name: "Fern & Fork", new_pages: [{ url: expect.stringContaining(origin()) }] },
  ]);
  const purge = () => applyRetentionRule(setup.job(), { rule: "page-proposals" });
  await purge();
  expect(await countOwnProposals(own.ctx)).toBe(1);
  await setup.harness.later(62 * DAY_MS, purge);
  expect(await setup.job().db.$count(pageProposals, eq(pageProposals.userId, own.userId))).toBe(0);
});

test("a watch whose reading fails doesn't hold up others, and is read again in an hour", async () => {
  const [broken, own] = [await watcher(), await watcher()];
  showPages(11);
  await tomorrow(async () => {
    const working = setup.harness.ports.links;
    setup.harness.ports.links = {
      ...working,
      fetchDocument: () => {
        throw new Error("This reading fails.");
      },
    };
    expect(await checkWatches(setup.job(), { watchIds: [broken.watchId] })).toEqual({ failed: 1 });
    setup.harness.ports.links = working;
    const due = await findDueWatches(setup.job());
    expect([due.includes(broken.watchId), due.includes(own.watchId)]).toEqual([false, true]);
    expect(await checkWatches(setup.job(), { watchIds: [own.watchId] })).toEqual({ failed: 0 });
    expect(await countOwnProposals(own.ctx)).toBe(1);
  });
  await setup.harness.later(DAY_MS + 3 * HOUR_MS, async () => {
    expect(await findDueWatches(setup.job())).toContain(broken.watchId);
  });
});

test("a pinned page stays pinned with campaign tags, whatever else is in its query, with a slash at its end, and with http", async () => {
  const own = await watcher();
  const pairs = [
    ["https://m.example/a", "https://m.example/a?utm_source=pinterest&utm_medium=social"],
    ["https://m.example/b", "https://m.example/b/"],
    ["https://m.example/c/", "https://m.example/c"],
    ["https://m.example/e", "http://m.example/e/"],
    ["http://m.example/f?id=1", "https://m.example/f/?id=1"],
    ["https://m.example/?p=1", "https://m.example/?p=1&UTM_Source=pinterest"],
    ["https://m.example/d?id=1&utm_source=rss&x=2", "https://m.example/d?utm_source=pinterest&id=1&x=2#top"],
    ["https://m.example/d?utm_medium=rss&id=1&x=2#top", "https://m.example/d?id=1&x=2&utm_source=pinterest#top"],
  ];
  const open = ["https://m.example/?p=2", "https://m.example/d?id=1&utm_source=rss&x=2"];
  const now = own.ctx.now();
  await own.ctx.db.insert(pageProposals).values(
    [...pairs.map(([url = ""]) => url), "https://m.example/?p=2"].map((url) => ({
      ...{ id: own.ctx.newId("proposal"), userId: own.userId, watchId: own.watchId, url, title: url },
      ...{ keyword: "page", foundAt: now },
    })),
  );
  await own.ctx.db.insert(pins).values(
    pairs.map(([, link]) => ({
      ...{ id: own.ctx.newId("pin"), userId: own.userId, accountId: own.accountId, boardId: "1", link },
      ...{ status: "draft" as const, source: "manual" as const, title: "", description: "", altText: "" },
      ...{ imageKey: "none.jpg", createdAt: now, updatedAt: now },
    })),
  );
  // Another part of a page is another link.
  expect((await proposedTitles(own)).toSorted()).toEqual(open.toSorted());
  expect(await countOwnProposals(own.ctx)).toBe(open.length);
});

test("proposals that became pins make room for new ones", async () => {
  const own = await watcher();
  await own.ctx.db.execute(sql`
    insert into page_proposals (id, user_id, watch_id, url, title, keyword, found_at)
    select ${own.watchId} || n, ${own.userId}, ${own.watchId}, 'https://m.example/' || n, 'Page', 'page', now()
    from generate_series(1, ${PROPOSALS_MAX}) as n`);
  showPages(11);
  await tomorrow(() => check(own.watchId));
  expect(await countOwnProposals(own.ctx)).toBe(PROPOSALS_MAX);
  await own.ctx.db.insert(pins).values({
    ...{ id: own.ctx.newId("pin"), userId: own.userId, accountId: own.accountId, boardId: "1", status: "draft" },
    ...{ source: "manual", title: "", description: "", altText: "", link: "https://m.example/1", imageKey: "none.jpg" },
    ...{ createdAt: own.ctx.now(), updatedAt: own.ctx.now() },
  });
  await setup.harness.later(2 * DAY_MS + 2 * HOUR_MS, () => check(own.watchId));
  expect(await countOwnProposals(own.ctx)).toBe(PROPOSALS_MAX);
  expect(await proposedTitles(own)).toContain(READABLE_PAGES.at(-11)?.title);
});
