import { and, eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import type { PinId, UserId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import type { Letter } from "#lib/features/email/schema.ts";
import { gatherDigests } from "#lib/features/notifications/digests.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { recheckDue } from "#lib/features/publishing/reconciliation.ts";
import { linksWorld } from "./links-house.ts";
import type { Maker } from "./publishing-house.ts";

const world = linksWorld();

const entriesOf = (userId: UserId) =>
  world
    .job()
    .db.select()
    .from(digestEntries)
    .where(and(eq(digestEntries.userId, userId), eq(digestEntries.kind, "links_dead")));

/** A page that answers, and drafts that lead there. */
const standing = async (makers: Maker[], count = 1) => {
  const url = world.page(200);
  const pinIds: PinId[] = [];
  for (const maker of makers) for (let n = 0; n < count; n += 1) pinIds.push(await world.draftTo(maker, url));
  expect(await world.check(url)).toBe("insecure");
  return { url, pinIds };
};

/** Somebody has it looked at again, a while later. */
const lookAgain = async ({ ctx }: Maker, { url, pinIds }: { url: string; pinIds: string[] }) => {
  await world.moveClock(HOUR_MS);
  await recheckLink(ctx, { pinId: pinIds[0] ?? "" });
  return world.check(url);
};

describe("R-SRV-04 R-SRV-08 a page that stops answering is told by mail", () => {
  test("once to each owner, of however many pins, with the link and why; not again while it stays so", async () => {
    const [maker, other, stranger] = [await world.makeMaker(), await world.makeMaker(), await world.makeMaker()];
    const site = await standing([maker, other], 3);
    world.change(site.url, 404);
    expect(await lookAgain(maker, site)).toBe("dead");
    world.change(site.url, 410);
    expect(await lookAgain(maker, site)).toBe("dead");
    const told = { subject: site.url, reason: "This page is not there (404). Check the link.", mailedAt: null };
    expect(await entriesOf(maker.userId)).toMatchObject([told]);
    expect(await entriesOf(other.userId)).toMatchObject([told]);
    expect(await entriesOf(stranger.userId)).toEqual([]);
    await world.moveClock(HOUR_MS);
    await gatherDigests(world.job());
    const rows = await world.job().db.select().from(letters).where(eq(letters.userId, maker.userId));
    const [mail] = rows.map(({ content }) => content as Letter).filter(({ kind }) => kind === "digest");
    if (!mail) throw new Error("No mail was made.");
    const { subject, text } = renderLetter(world.job(), mail);
    expect(subject).toContain("A link no longer works");
    expect(text).toContain(site.url);
    expect(text).toContain("This page is not there (404).");
  });

  test("of a scheduled pin by the look before it goes out, also when nothing answers; of a published one never", async () => {
    const [maker, past] = [await world.makeMaker(), await world.makeMaker()];
    const { url, pinIds } = await standing([maker]);
    await world.drive(await world.scheduled(past, { link: url }));
    await world.schedule(maker, pinIds);
    const at = sql`now() + make_interval(secs => ${(DAY_MS + HOUR_MS) / SECOND_MS})`;
    await maker.ctx.db.execute(sql`update pins set scheduled_at = ${at}, wake_at = ${at} where id = ${pinIds[0]}`);
    await world.moveClock(DAY_MS);
    world.change(url, (request) => void request.socket.destroy());
    await recheckDue(world.job());
    expect(await world.check(url)).toBe("unreachable");
    expect(await entriesOf(maker.userId)).toMatchObject([{ subject: url }]);
    expect((await entriesOf(maker.userId))[0]?.reason).toContain("did not answer");
    expect(await entriesOf(past.userId)).toEqual([]);
  });

  test("nobody is told of a link that was dead when it was typed, nor of one that answers again before the mail", async () => {
    const maker = await world.makeMaker();
    const typed = world.page(404);
    await world.draftTo(maker, typed);
    expect(await world.check(typed)).toBe("dead");
    expect(await entriesOf(maker.userId)).toEqual([]);
    const site = await standing([maker]);
    world.change(site.url, 500);
    expect(await lookAgain(maker, site)).toBe("unreachable");
    expect(await entriesOf(maker.userId)).toHaveLength(1);
    world.change(site.url, 200);
    expect(await lookAgain(maker, site)).toBe("insecure");
    expect(await entriesOf(maker.userId)).toEqual([]);
  });
});
