import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { checkLink } from "#lib/features/links/checks.ts";
import { AGAIN_MS, SECOND_LOOK_MS } from "#lib/features/links/constants.ts";
import { editDraft, recheckLink } from "#lib/features/pins/edits.ts";
import { findStart, readNews } from "#lib/features/realtime/events.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { startPages } from "#tests/support/page-server.ts";
import { SELF_SIGNED } from "#tests/support/self-signed.ts";
import { linksWorld } from "./links-house.ts";
import type { Maker } from "./publishing-house.ts";

const world = linksWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

/** A draft that leads to an address, once that was looked at. */
const checkedDraft = async (maker: Maker, url: string) => {
  const pinId = await world.draftTo(maker, url);
  await world.check(url);
  return { pinId, post: await world.postOf(maker, pinId) };
};

const ids = (news: Awaited<ReturnType<typeof readNews>>) =>
  news.kind === "too_much" ? [] : news.news.map(({ data }) => ("id" in data ? data.id : ""));

/** Trusts the certificate of the tests for a while. */
const trustOwn = () => {
  const before = getCACertificates();
  setDefaultCACertificates([...before, SELF_SIGNED.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
};

describe("what was found stands at the pin", () => {
  test("R-SRV-08 before anybody has looked nothing is said; a dead page is told of, and the link stays as it is", async () => {
    const maker = await world.makeMaker();
    const url = world.page(410);
    const pinId = await world.draftTo(maker, url);
    expect(await world.postOf(maker, pinId)).toMatchObject({
      link_state: "pending",
      link_warning: null,
      link_checking: true,
    });
    expect(await world.check(url)).toBe("dead");
    expect(await world.postOf(maker, pinId)).toMatchObject({
      url,
      status: "draft",
      link_state: "dead",
      link_warning: "This page is not there (410). Check the link.",
      link_checking: false,
    });
    expect(world.visits(url)).toBe(1);
  });

  test("R-SRV-08 redirecting, shortened, http, a private network by name and by redirect, and a name that nobody has", async () => {
    const maker = await world.makeMaker();
    const elsewhere = world.page(200, "other.test");
    const inside = "http://inside.test/admin";
    const table: [string, string, string][] = [
      [world.page({ to: elsewhere }), "redirects", "This link leads on to another site: other.test."],
      [world.page({ to: elsewhere }, "bit.ly"), "shortener", "bit.ly shortens links"],
      [world.page(200), "insecure", "This link is not secure (http)."],
      [inside, "refused", "This link leads into a private network (inside.test)"],
      [world.page({ to: inside }), "refused", "This link leads into a private network (inside.test)"],
      [world.page({ to: "http://169.254.169.254/latest/" }), "refused", "private network (169.254.169.254)"],
      [world.page({ to: "http://[::ffff:127.0.0.1]/" }), "refused", "private network ([::ffff:7f00:1])"],
      [world.page({ to: "ftp://shop.test/" }), "refused", "This link leads out of the web"],
      [world.page({ to: `http://shop.test/${"a".repeat(5_000)}` }), "refused", "longer than 4,096 characters"],
      ["https://nobody.test/", "dead", "There is no site at nobody.test."],
    ];
    for (const [url, state, warning] of table) {
      const { post } = await checkedDraft(maker, url);
      expect([post.url, post.link_state, post.link_warning]).toEqual([url, state, expect.stringContaining(warning)]);
    }
  });

  test("R-SRV-08 a page over https that answers stands without a warning", async () => {
    const maker = await world.makeMaker();
    const site = await startPages((_request, response) => void response.end(), { isSecure: true });
    onTestFinished(() => site.close());
    world.house.ports.links = createLinks({
      userAgent: "test",
      allowedHosts: [site.host],
      nameServers: ["127.0.0.1:9"],
    });
    const url = `https://${site.host}/`;
    expect((await checkedDraft(maker, url)).post).toMatchObject({ link_state: "untrusted" });
    trustOwn();
    await world.moveClock(DAY_MS);
    expect((await checkedDraft(maker, url)).post).toMatchObject({ link_state: "ok", link_warning: null });
  });

  test("R-SRV-08 a page that does not answer in time is asked once more, a minute later, before anybody is told", async () => {
    const maker = await world.makeMaker();
    world.beImpatient();
    const url = world.page(() => {});
    const pinId = await world.draftTo(maker, url);
    const [request] = world.asked(url);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(world.job(), { ...request, looks: 0 })).toEqual({
      kind: "later",
      afterMs: SECOND_LOOK_MS,
      looks: 1,
    });
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_warning: null, link_checking: true });
    expect(await checkLink(world.job(), { ...request, looks: 1 })).toEqual({ kind: "done", state: "unreachable" });
    expect((await world.postOf(maker, pinId)).link_warning).toContain("shop.test did not answer");
    expect(world.visits(url)).toBe(2);
  });

  test("R-SRV-08 a published pin is never touched: no check of its link is asked for, shown or told of", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const scheduled = await world.scheduled(maker, { link: url });
    await world.drive(scheduled);
    const before = await world.pin(scheduled.pinId);
    expect(before.status).toBe("published");
    const start = await findStart(maker.ctx, { userId: maker.userId, after: null });
    const draft = await world.draftTo(maker, url);
    await world.check(url);
    expect(await world.postOf(maker, draft)).toMatchObject({ link_state: "dead" });
    expect(await world.pin(scheduled.pinId)).toEqual(before);
    const shown = await world.postOf(maker, scheduled.pinId);
    expect(shown).toMatchObject({ link_state: null, link_warning: null, link_checking: false });
    const news = await readNews(maker.ctx, { userId: maker.userId, after: start.position });
    expect(ids(news)).toContain(draft);
    expect(ids(news)).not.toContain(scheduled.pinId);
    await expect(recheckLink(maker.ctx, { pinId: scheduled.pinId })).rejects.toEqual(code("wrong_state"));
  });
});

describe("who asks when", () => {
  test("an address is checked once for all its pins, whoever owns them, and each owner's stream is told", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const url = world.page(404);
    const own = [await world.draftTo(maker, url), await world.draftTo(maker, url)];
    const theirs = await world.draftTo(other, url);
    expect(new Set(world.asked(url).map(({ id }) => id)).size).toBe(1);
    const starts = await Promise.all([maker, other].map(({ ctx, userId }) => findStart(ctx, { userId, after: null })));
    await world.check(url);
    expect(world.visits(url)).toBe(1);
    const newsOf = async ({ ctx, userId }: Maker, after = 0) => ids(await readNews(ctx, { userId, after }));
    expect((await newsOf(maker, starts[0]?.position)).toSorted()).toEqual(own.toSorted());
    expect(await newsOf(other, starts[1]?.position)).toEqual([theirs]);
  });

  test("what was found within a day stands; after it a draft that is saved has its link checked anew", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const { pinId } = await checkedDraft(maker, url);
    await editDraft(maker.ctx, { pinId, title: "Same link" });
    expect(world.asked(url)).toHaveLength(1);
    world.change(url, 200);
    await world.moveClock(DAY_MS);
    await editDraft(maker.ctx, { pinId, title: "Same link, a day later" });
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_state: "dead", link_checking: true });
    await world.check(url);
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_state: "insecure", link_checking: false });
  });

  test("R-SRV-08 whoever mended a page has it looked at again at once; one look at a time, none within seconds", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const { pinId } = await checkedDraft(maker, url);
    world.change(url, 200);
    // Found this moment, however slow the machine is.
    const checkedAt = addMs(world.job().now(), MINUTE_MS);
    await maker.ctx.db.update(linkChecks).set({ checkedAt }).where(eq(linkChecks.url, url));
    expect(await recheckLink(maker.ctx, { pinId })).toMatchObject({ link_state: "dead", link_checking: false });
    await world.moveClock(MINUTE_MS + AGAIN_MS);
    expect(await recheckLink(maker.ctx, { pinId })).toMatchObject({ link_state: "dead", link_checking: true });
    await recheckLink(maker.ctx, { pinId });
    expect(new Set(world.asked(url).map(({ id }) => id)).size).toBe(2);
    await world.check(url);
    expect(await world.postOf(maker, pinId)).toMatchObject({ link_state: "insecure", link_checking: false });
  });

  test("somebody who waits for a look is told of its end, also when it found the same", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const { pinId } = await checkedDraft(maker, url);
    await world.moveClock(AGAIN_MS);
    await recheckLink(maker.ctx, { pinId });
    const { position } = await findStart(maker.ctx, { userId: maker.userId, after: null });
    await world.check(url);
    expect(ids(await readNews(maker.ctx, { userId: maker.userId, after: position }))).toEqual([pinId]);
  });

  test("R-API-31 nobody has the link of another user's pin looked at, nor of one without a link", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const url = world.page(404);
    const { pinId } = await checkedDraft(maker, url);
    await world.moveClock(HOUR_MS);
    for (const id of [pinId, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(recheckLink(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
    }
    const bare = await world.draft(maker, { link: null });
    await expect(recheckLink(maker.ctx, { pinId: bare })).rejects.toEqual(code("wrong_state"));
    expect(world.asked(url)).toHaveLength(1);
  });

  test("a run of an earlier request, and a second run, write nothing", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    await checkedDraft(maker, url);
    const [first] = world.asked(url);
    if (!first) throw new Error("Nothing was asked for.");
    world.change(url, 200);
    expect(await checkLink(world.job(), { ...first, looks: 0 })).toEqual({ kind: "done", state: "not_needed" });
    const [row] = await maker.ctx.db
      .select()
      .from(linkChecks)
      .where(eq(linkChecks.urlHash, sha256(url)));
    expect(row).toMatchObject({ state: "dead", httpStatus: 404 });
    expect(await maker.ctx.db.$count(pins, eq(pins.link, url))).toBe(1);
  });
});
