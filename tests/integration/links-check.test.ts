import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { checkLink } from "#lib/features/links/checks.ts";
import { RECHECK_GAP_MS, RETRY_DELAY_MS } from "#lib/features/links/constants.ts";
import { editDraft, recheckLink } from "#lib/features/pins/edits.ts";
import { findStart, readEvents } from "#lib/features/realtime/events.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { startPages } from "#tests/support/page-server.ts";
import { SELF_SIGNED } from "#tests/support/self-signed.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = linksSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

/** A draft whose link has been checked. */
const checkedDraft = async (creator: Creator, url: string) => {
  const pinId = await setup.draftTo(creator, url);
  await setup.check(url);
  return { pinId, post: await setup.postOf(creator, pinId) };
};

const ids = (updates: Awaited<ReturnType<typeof readEvents>>) =>
  updates.kind === "too_much" ? [] : updates.events.map(({ data }) => ("id" in data ? data.id : ""));

/** Trusts the test certificate until the test ends. */
const trustOwn = () => {
  const before = getCACertificates();
  setDefaultCACertificates([...before, SELF_SIGNED.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
};

describe("the result shows on the pin", () => {
  test("R-SRV-08 shows nothing before the first check; warns about a dead page and keeps the link", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(410);
    const pinId = await setup.draftTo(creator, url);
    expect(await setup.postOf(creator, pinId)).toMatchObject({
      link_state: "pending",
      link_warning: null,
      link_checking: true,
    });
    expect(await setup.check(url)).toBe("dead");
    expect(await setup.postOf(creator, pinId)).toMatchObject({
      url,
      status: "draft",
      link_state: "dead",
      link_warning: "This page doesn't exist (410). Check the link.",
      link_checking: false,
    });
    expect(setup.visits(url)).toBe(1);
  });

  test("R-SRV-08 redirects, short links, http, private networks by name and by redirect, and unknown names", async () => {
    const creator = await setup.insertCreator();
    const elsewhere = setup.page(200, "other.test");
    const inside = "http://inside.test/admin";
    const table: [string, string, string][] = [
      [
        setup.page({ to: elsewhere }),
        "redirects",
        "This link redirects to another site: other.test. Link to the final page if you can.",
      ],
      [setup.page({ to: elsewhere }, "bit.ly"), "shortener", "bit.ly is a link shortener"],
      [setup.page(200), "insecure", "This link isn't secure (http), so browsers may warn people."],
      [inside, "refused", "This link leads to a private network (inside.test)"],
      [setup.page({ to: inside }), "refused", "This link leads to a private network (inside.test)"],
      [setup.page({ to: "http://169.254.169.254/latest/" }), "refused", "private network (169.254.169.254)"],
      [setup.page({ to: "http://[::ffff:127.0.0.1]/" }), "refused", "private network ([::ffff:7f00:1])"],
      [setup.page({ to: "ftp://shop.test/" }), "refused", "This link doesn't open a web page"],
      [setup.page({ to: `http://shop.test/${"a".repeat(5_000)}` }), "refused", "longer than 4,096 characters"],
      ["https://nobody.test/", "dead", "There is no site at nobody.test."],
    ];
    for (const [url, state, warning] of table) {
      const { post } = await checkedDraft(creator, url);
      expect([post.url, post.link_state, post.link_warning]).toEqual([url, state, expect.stringContaining(warning)]);
    }
  });

  test("R-SRV-08 a page that responds over https has no warning", async () => {
    const creator = await setup.insertCreator();
    const site = await startPages((_request, response) => void response.end(), { isSecure: true });
    onTestFinished(() => site.close());
    setup.harness.ports.links = createLinks({
      userAgent: "test",
      allowedHosts: [site.host],
      nameServers: ["127.0.0.1:9"],
    });
    const url = `https://${site.host}/`;
    expect((await checkedDraft(creator, url)).post).toMatchObject({ link_state: "untrusted" });
    trustOwn();
    await setup.moveClock(DAY_MS);
    expect((await checkedDraft(creator, url)).post).toMatchObject({ link_state: "ok", link_warning: null });
  });

  test("R-SRV-08 a page that does not respond is tried again a minute later, before anything is reported", async () => {
    const creator = await setup.insertCreator();
    setup.beImpatient();
    const url = setup.page(() => {});
    const pinId = await setup.draftTo(creator, url);
    const [request] = setup.requested(url);
    if (!request) throw new Error("Nothing was asked for.");
    expect(await checkLink(setup.job(), { ...request, tries: 0 })).toEqual({
      kind: "later",
      afterMs: RETRY_DELAY_MS,
      tries: 1,
      reservedMs: null,
    });
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_warning: null, link_checking: true });
    expect(await checkLink(setup.job(), { ...request, tries: 1 })).toEqual({ kind: "done", state: "unreachable" });
    expect((await setup.postOf(creator, pinId)).link_warning).toContain("shop.test didn't respond");
    expect(setup.visits(url)).toBe(2);
  });

  test("R-SRV-08 a published pin's link is never checked, shown, or reported", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const scheduled = await setup.scheduled(creator, { link: url });
    await setup.drive(scheduled);
    const before = await setup.pin(scheduled.pinId);
    expect(before.status).toBe("published");
    const start = await findStart(creator.ctx, { userId: creator.userId, after: null });
    const draft = await setup.draftTo(creator, url);
    await setup.check(url);
    expect(await setup.postOf(creator, draft)).toMatchObject({ link_state: "dead" });
    expect(await setup.pin(scheduled.pinId)).toEqual(before);
    const shown = await setup.postOf(creator, scheduled.pinId);
    expect(shown).toMatchObject({ link_state: null, link_warning: null, link_checking: false });
    const updates = await readEvents(creator.ctx, { userId: creator.userId, after: start.position });
    expect(ids(updates)).toContain(draft);
    expect(ids(updates)).not.toContain(scheduled.pinId);
    await expect(recheckLink(creator.ctx, { pinId: scheduled.pinId })).rejects.toEqual(code("wrong_state"));
  });
});

describe("when checks are requested", () => {
  test("a link is checked once for all its pins, and each owner's stream is notified", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const url = setup.page(404);
    const own = [await setup.draftTo(creator, url), await setup.draftTo(creator, url)];
    const theirs = await setup.draftTo(other, url);
    expect(new Set(setup.requested(url).map(({ id }) => id)).size).toBe(1);
    const starts = await Promise.all(
      [creator, other].map(({ ctx, userId }) => findStart(ctx, { userId, after: null })),
    );
    await setup.check(url);
    expect(setup.visits(url)).toBe(1);
    const updatesOf = async ({ ctx, userId }: Creator, after = 0) => ids(await readEvents(ctx, { userId, after }));
    expect((await updatesOf(creator, starts[0]?.position)).toSorted()).toEqual(own.toSorted());
    expect(await updatesOf(other, starts[1]?.position)).toEqual([theirs]);
  });

  test("results count for a day; after that, saving a draft checks its link again", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const { pinId } = await checkedDraft(creator, url);
    await editDraft(creator.ctx, { pinId, title: "Same link" });
    expect(setup.requested(url)).toHaveLength(1);
    setup.change(url, 200);
    await setup.moveClock(DAY_MS);
    await editDraft(creator.ctx, { pinId, title: "Same link, a day later" });
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_state: "dead", link_checking: true });
    await setup.check(url);
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_state: "insecure", link_checking: false });
  });

  test("R-SRV-08 a user can check a fixed page again at once; one check at a time, none within seconds", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const { pinId } = await checkedDraft(creator, url);
    setup.change(url, 200);
    // Must have been checked just now, even on a slow machine.
    const checkedAt = addMs(setup.job().now(), MINUTE_MS);
    await creator.ctx.db.update(linkChecks).set({ checkedAt }).where(eq(linkChecks.url, url));
    expect(await recheckLink(creator.ctx, { pinId })).toMatchObject({ link_state: "dead", link_checking: false });
    await setup.moveClock(MINUTE_MS + RECHECK_GAP_MS);
    expect(await recheckLink(creator.ctx, { pinId })).toMatchObject({ link_state: "dead", link_checking: true });
    await recheckLink(creator.ctx, { pinId });
    expect(new Set(setup.requested(url).map(({ id }) => id)).size).toBe(2);
    await setup.check(url);
    expect(await setup.postOf(creator, pinId)).toMatchObject({ link_state: "insecure", link_checking: false });
  });

  test("a waiting user is notified when the check ends, even with the same result", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const { pinId } = await checkedDraft(creator, url);
    await setup.moveClock(RECHECK_GAP_MS);
    await recheckLink(creator.ctx, { pinId });
    const { position } = await findStart(creator.ctx, { userId: creator.userId, after: null });
    await setup.check(url);
    expect(ids(await readEvents(creator.ctx, { userId: creator.userId, after: position }))).toEqual([pinId]);
  });

  test("R-API-31 refuses to check the link of another user's pin, or of a pin without one", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const url = setup.page(404);
    const { pinId } = await checkedDraft(creator, url);
    await setup.moveClock(HOUR_MS);
    for (const id of [pinId, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(recheckLink(stranger.ctx, { pinId: id })).rejects.toEqual(code("not_found"));
    }
    const bare = await setup.draft(creator, { link: null });
    await expect(recheckLink(creator.ctx, { pinId: bare })).rejects.toEqual(code("wrong_state"));
    expect(setup.requested(url)).toHaveLength(1);
  });

  test("runs of an earlier request and second runs write nothing", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    await checkedDraft(creator, url);
    const [first] = setup.requested(url);
    if (!first) throw new Error("Nothing was asked for.");
    setup.change(url, 200);
    expect(await checkLink(setup.job(), { ...first, tries: 0 })).toEqual({ kind: "done", state: "not_needed" });
    const [row] = await creator.ctx.db
      .select()
      .from(linkChecks)
      .where(eq(linkChecks.urlHash, sha256(url)));
    expect(row).toMatchObject({ state: "dead", httpStatus: 404 });
    expect(await creator.ctx.db.$count(pins, eq(pins.link, url))).toBe(1);
  });
});
