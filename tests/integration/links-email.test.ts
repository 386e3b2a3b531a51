import { and, eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import type { PinId, UserId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import type { EmailContent } from "#lib/features/email/schema.ts";
import { sendDigests } from "#lib/features/notifications/digests.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = linksSetup();

const entriesOf = (userId: UserId) =>
  setup
    .job()
    .db.select()
    .from(digestEntries)
    .where(and(eq(digestEntries.userId, userId), eq(digestEntries.kind, "links_dead")));

/** Adds a page that responds, and drafts that link to it. */
const standing = async (creators: Creator[], count = 1) => {
  const url = setup.page(200);
  const pinIds: PinId[] = [];
  for (const creator of creators) for (let n = 0; n < count; n += 1) pinIds.push(await setup.draftTo(creator, url));
  expect(await setup.check(url)).toBe("insecure");
  return { url, pinIds };
};

/** The user requests another check later. */
const refreshPins = async ({ ctx }: Creator, { url, pinIds }: { url: string; pinIds: string[] }) => {
  await setup.moveClock(HOUR_MS);
  await recheckLink(ctx, { pinId: pinIds[0] ?? "" });
  return setup.check(url);
};

describe("R-SRV-04 R-SRV-08 a page that stops responding is reported by email", () => {
  test("once per owner and link with the reason, whatever the number of pins; not again while it stays down", async () => {
    const [creator, other, stranger] = [
      await setup.insertCreator(),
      await setup.insertCreator(),
      await setup.insertCreator(),
    ];
    const site = await standing([creator, other], 3);
    setup.change(site.url, 404);
    expect(await refreshPins(creator, site)).toBe("dead");
    setup.change(site.url, 410);
    expect(await refreshPins(creator, site)).toBe("dead");
    const expected = { subject: site.url, reason: "This page doesn't exist (404). Check the link.", mailedAt: null };
    expect(await entriesOf(creator.userId)).toMatchObject([expected]);
    expect(await entriesOf(other.userId)).toMatchObject([expected]);
    expect(await entriesOf(stranger.userId)).toEqual([]);
    await setup.moveClock(HOUR_MS);
    await sendDigests(setup.job());
    const rows = await setup.job().db.select().from(emailOutbox).where(eq(emailOutbox.userId, creator.userId));
    const [email] = rows.map(({ content }) => content as EmailContent).filter(({ kind }) => kind === "digest");
    if (!email) throw new Error("No mail was made.");
    const { subject, text } = renderEmail(setup.job(), email);
    expect(subject).toContain("A link has stopped working");
    expect(text).toContain(site.url);
    expect(text).toContain("This page doesn't exist (404).");
  });

  test("for scheduled pins also by the check before publishing; never for published pins", async () => {
    const [creator, past] = [await setup.insertCreator(), await setup.insertCreator()];
    const { url, pinIds } = await standing([creator]);
    await setup.drive(await setup.scheduled(past, { link: url }));
    await setup.schedule(creator, pinIds);
    const at = sql`now() + make_interval(secs => ${(DAY_MS + HOUR_MS) / SECOND_MS})`;
    await creator.ctx.db.execute(sql`update pins set scheduled_at = ${at}, wake_at = ${at} where id = ${pinIds[0]}`);
    await setup.moveClock(DAY_MS);
    setup.change(url, (request) => void request.socket.destroy());
    await recheckDue(setup.job());
    expect(await setup.check(url)).toBe("unreachable");
    expect(await entriesOf(creator.userId)).toMatchObject([{ subject: url }]);
    expect((await entriesOf(creator.userId))[0]?.reason).toContain("didn't respond");
    expect(await entriesOf(past.userId)).toEqual([]);
  });

  test("not for links that were dead from the start, or that respond again before the email is sent", async () => {
    const creator = await setup.insertCreator();
    const typed = setup.page(404);
    await setup.draftTo(creator, typed);
    expect(await setup.check(typed)).toBe("dead");
    expect(await entriesOf(creator.userId)).toEqual([]);
    const site = await standing([creator]);
    setup.change(site.url, 500);
    expect(await refreshPins(creator, site)).toBe("unreachable");
    expect(await entriesOf(creator.userId)).toHaveLength(1);
    setup.change(site.url, 200);
    expect(await refreshPins(creator, site)).toBe("insecure");
    expect(await entriesOf(creator.userId)).toEqual([]);
  });

  test("also when our server was offline in between, in either direction", async () => {
    const creator = await setup.insertCreator();
    const site = await standing([creator]);
    const refreshOffline = async () => {
      const online = setup.harness.ports.links;
      setup.harness.ports.links = { ...online, check: async (url) => ({ kind: "offline", finalUrl: url }) };
      expect(await refreshPins(creator, site)).toBe("offline");
      setup.harness.ports.links = online;
    };
    setup.change(site.url, 404);
    await refreshOffline();
    expect(await entriesOf(creator.userId)).toEqual([]);
    expect(await refreshPins(creator, site)).toBe("dead");
    expect(await entriesOf(creator.userId)).toMatchObject([{ subject: site.url }]);
    setup.change(site.url, 200);
    await refreshOffline();
    expect(await entriesOf(creator.userId)).toHaveLength(1);
    expect(await refreshPins(creator, site)).toBe("insecure");
    expect(await entriesOf(creator.userId)).toEqual([]);
  });
});
