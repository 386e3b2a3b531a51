import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pageDismissals, pageProposals, siteWatches } from "#db/schema/sites.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { countOwnProposals, countProposals } from "#lib/features/sites/proposals.ts";
import {
  checkWatch,
  checkWatches,
  dismissProposals,
  listWatches,
  unwatchSite,
  watchSite,
} from "#lib/features/sites/watches.ts";
import type { Creator } from "./generation-harness.ts";
import { sitesSetup } from "./sites-harness.ts";

const { setup, origin, serve } = sitesSetup();

type Watcher = Creator & { feed: string; map: string };

/** The feed tags its links, the sitemap has them with a slash at the end. Neither has dates. */
const showPages = (...names: string[]) => {
  const items = names.map((name) => `<item><link>${origin()}/p/${name}?utm_source=rss</link></item>`).join("");
  const urls = names.map((name) => `<url><loc>${origin()}/p/${name}/</loc></url>`).join("");
  serve({ "/rss.xml": `<rss><channel>${items}</channel></rss>`, "/map.xml": `<urlset>${urls}</urlset>` });
};

/** A user who watches the feed and the sitemap of one site, which has a page. */
const watcher = async (): Promise<Watcher> => {
  const creator = await setup.insertCreator();
  showPages("fern");
  await watchSite(creator.ctx, { text: `${origin()}/rss.xml` });
  const { watches } = await watchSite(creator.ctx, { text: `${origin()}/map.xml` });
  const idOf = (ending: string) => watches.find(({ address }) => address.endsWith(ending))?.id ?? "";
  return { ...creator, feed: idOf("/rss.xml"), map: idOf("/map.xml") };
};

const proposalsOf = async ({ ctx }: Creator) => (await listWatches(ctx)).proposals;
const titlesOf = async (own: Creator) => (await proposalsOf(own)).map(({ title }) => title).toSorted();

const dismissAll = async (own: Creator) =>
  dismissProposals(own.ctx, { proposalIds: (await proposalsOf(own)).map(({ id }) => id) });

const checkNow = async (watchId: string) => {
  const job = setup.job();
  await job.db
    .update(siteWatches)
    .set({ nextAt: new Date(0) })
    .where(eq(siteWatches.id, watchId));
  return checkWatch(job, { watchId });
};

describe("a page that two watches of a user list", () => {
  test("is proposed once when both are read at the same time, and counted once", async () => {
    const own = await watcher();
    showPages("fern", "moss", "bowls");
    await setup.harness.later(DAY_MS + HOUR_MS, () =>
      checkWatches(setup.job(), { watchIds: [own.feed, own.map, own.feed] }),
    );
    expect(await titlesOf(own)).toEqual(["Bowls", "Moss"]);
    expect(await countOwnProposals(own.ctx)).toBe(2);
    expect(await setup.job().db.$count(pageProposals, eq(pageProposals.userId, own.userId))).toBe(2);
  });

  test("is listed once by one that lists it twice", async () => {
    const own = await watcher();
    const urls = ["/p/moss", "/p/moss/"].map((path) => `<url><loc>${origin()}${path}</loc></url>`).join("");
    serve({ "/map.xml": `<urlset>${urls}</urlset>` });
    await checkNow(own.map);
    expect(await titlesOf(own)).toEqual(["Moss"]);
  });

  test.each([
    ["before the other one is read", false],
    ["after both were read", true],
  ])("isn't proposed by the other one after it was dismissed, %s", async (_when, isReadBefore) => {
    const own = await watcher();
    showPages("fern", "moss");
    await checkNow(own.feed);
    if (isReadBefore) await checkNow(own.map);
    expect(await titlesOf(own)).toEqual(["Moss"]);
    await dismissAll(own);
    showPages("fern", "moss", "bowls");
    for (const watchId of [own.map, own.feed, own.map]) await checkNow(watchId);
    expect(await titlesOf(own)).toEqual(["Bowls"]);
  });

  test.each([
    ["while the one that found it goes on", false],
    ["after the one that found it ended", true],
  ])("isn't proposed by a watch that begins after it was dismissed, %s", async (_when, hasEnded) => {
    const own = await watcher();
    await unwatchSite(own.ctx, { watchId: own.map });
    showPages("fern", "moss");
    await checkNow(own.feed);
    await dismissAll(own);
    if (hasEnded) await unwatchSite(own.ctx, { watchId: own.feed });
    // Sitemaps are often written later than feeds.
    showPages("fern");
    const { watches } = await watchSite(own.ctx, { text: `${origin()}/map.xml` });
    const map = watches.find(({ address }) => address.endsWith("/map.xml"))?.id ?? "";
    showPages("fern", "moss", "bowls");
    await checkNow(map);
    expect(await titlesOf(own)).toEqual(["Bowls"]);
    const { userId } = own;
    expect(await setup.job().db.$count(pageDismissals, eq(pageDismissals.userId, userId))).toBe(1);
  });

  test("stays proposed when one of them ends, and leaves with the last one", async () => {
    const own = await watcher();
    showPages("fern", "moss");
    await checkNow(own.feed);
    await checkNow(own.map);
    await unwatchSite(own.ctx, { watchId: own.feed });
    expect(await proposalsOf(own)).toMatchObject([{ title: "Moss", watch_id: own.map }]);
    await unwatchSite(own.ctx, { watchId: own.map });
    expect(await proposalsOf(own)).toEqual([]);
  });

  test("is one page to other users, who still get it", async () => {
    const [own, other] = [await watcher(), await watcher()];
    showPages("fern", "moss");
    await checkNow(own.feed);
    await dismissAll(own);
    await checkNow(other.map);
    expect(await titlesOf(other)).toEqual(["Moss"]);
  });
});

test("rows that two watches left for one page are one proposal, and are dismissed together", async () => {
  const own = await watcher();
  const now = own.ctx.now();
  const rowOf = (watchId: string, url: string, foundAt = now) => ({
    ...{ id: own.ctx.newId("proposal"), userId: own.userId, watchId, url, title: "Moss", keyword: "moss", foundAt },
  });
  const older = rowOf(own.map, "http://m.example/moss/", new Date(now.getTime() - HOUR_MS));
  await own.ctx.db
    .insert(pageProposals)
    .values([
      rowOf(own.feed, "https://m.example/moss?utm_source=rss"),
      older,
      rowOf(own.feed, "https://m.example/fern"),
    ]);
  const proposals = await proposalsOf(own);
  expect(proposals.map(({ url }) => url).toSorted()).toEqual(["http://m.example/moss/", "https://m.example/fern"]);
  expect(await countOwnProposals(own.ctx)).toBe(2);
  // An email counts a page in the week in which it was found first.
  expect(await countProposals(own.ctx, { userId: own.userId, since: now })).toBe(1);
  await dismissProposals(own.ctx, { proposalIds: [older.id] });
  expect((await proposalsOf(own)).map(({ url }) => url)).toEqual(["https://m.example/fern"]);
  // Legacy rows of both watches may also be handed over without a conflict.
  await own.ctx.db
    .insert(pageProposals)
    .values([rowOf(own.feed, `${origin()}/p/fern/`), rowOf(own.map, `${origin()}/p/fern/`)]);
  await unwatchSite(own.ctx, { watchId: own.feed });
  expect(await proposalsOf(own)).toMatchObject([{ title: "Moss", watch_id: own.map }]);
});
