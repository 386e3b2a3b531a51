import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { purgeLinkChecks } from "#lib/features/links/checks.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { readPin } from "#lib/features/pins/library.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { formatPins } from "./formats-harness.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = linksSetup();
const { makeCarousel } = formatPins();

const GONE = "This page doesn't exist (404). Check the link.";

const warningsOf = async ({ ctx }: Creator, pinId: string) =>
  (await readPin(ctx, { pinId })).slides.map(({ link_warning }) => link_warning);

test("the links of slides are checked when a carousel is created, and again on request", async () => {
  const creator = await setup.insertCreator();
  const url = setup.page(404);
  const { id: pinId } = await makeCarousel(creator, url);
  expect(await warningsOf(creator, pinId)).toEqual([null, null, null]);
  expect(await setup.check(url)).toBe("dead");
  expect(await warningsOf(creator, pinId)).toEqual([GONE, null, null]);
  const events = await setup.job().db.select().from(liveEvents).where(eq(liveEvents.subject, pinId));
  expect(events.map(({ kind }) => kind)).toContain("post");
  setup.change(url, 200);
  await setup.moveClock(HOUR_MS);
  await recheckLink(creator.ctx, { pinId });
  expect(await setup.check(url)).toBe("insecure");
  expect((await warningsOf(creator, pinId))[0]).toContain("isn't secure");
});

test("a slide's page that stops responding is reported, before publishing too", async () => {
  const creator = await setup.insertCreator();
  const url = setup.page(200);
  const { id: pinId } = await makeCarousel(creator, url);
  await setup.check(url);
  await setup.schedule(creator, [pinId]);
  const at = sql`now() + make_interval(secs => ${(DAY_MS + HOUR_MS) / SECOND_MS})`;
  await creator.ctx.db.execute(sql`update pins set scheduled_at = ${at}, wake_at = ${at} where id = ${pinId}`);
  await setup.moveClock(DAY_MS);
  setup.change(url, 410);
  await recheckDue(setup.job());
  expect(await setup.check(url)).toBe("dead");
  const isOwn = and(eq(digestEntries.userId, creator.userId), eq(digestEntries.kind, "links_dead"));
  expect(await setup.job().db.select().from(digestEntries).where(isOwn)).toMatchObject([{ subject: url }]);
});

test("copies request checks for their slides, and a check is kept while a slide needs it", async () => {
  const creator = await setup.insertCreator();
  const url = setup.page(200);
  const { id: pinId } = await makeCarousel(creator, url);
  await setup.check(url);
  await setup.moveClock(2 * DAY_MS);
  await duplicatePins(creator.ctx, { pinIds: [pinId], boardIds: [creator.boardId] });
  expect(await setup.check(url)).toBe("insecure");
  await setup.moveClock(2 * DAY_MS);
  await purgeLinkChecks(setup.job());
  expect(await setup.job().db.$count(linkChecks, eq(linkChecks.url, url))).toBe(1);
  await creator.ctx.db.execute(sql`update pin_slides set link = null`);
  await purgeLinkChecks(setup.job());
  expect(await setup.job().db.$count(linkChecks, eq(linkChecks.url, url))).toBe(0);
});
