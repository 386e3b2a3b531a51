import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { addEntry, gatherDigests } from "#lib/features/notifications/digests.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const entriesOf = (userId: UserId) =>
  world.job().db.select().from(digestEntries).where(eq(digestEntries.userId, userId));

const mailsOf = (userId: UserId) => world.job().db.select().from(letters).where(eq(letters.userId, userId));

const gather = () => gatherDigests(world.job());

const tell = (userId: UserId, about: string) =>
  inTransaction(world.job(), (tx) =>
    addEntry(tx, { userId, kind: "pins_failed", about, occasion: 1, subject: about, reason: "For a reason." }),
  );

const failOne = async (maker: Maker) => {
  const scheduled = await world.scheduled(maker);
  const where = { account: maker.account.username };
  await world.pinterest.strike({ match: CREATE, scenario: "image-broken", where });
  expect(await world.drive(scheduled)).toMatchObject({ result: "failed" });
  return scheduled;
};

describe("R-SRV-04 what a mail leaves out", () => {
  test("R-POST-11 a failed pin that its owner deleted is not told of", async () => {
    const maker = await world.makeMaker();
    const [deleted, kept] = [await failOne(maker), await failOne(maker)];
    await deleteDrafts(maker.ctx, { pinIds: [deleted.pinId] });
    expect(await entriesOf(maker.userId)).toMatchObject([{ cause: `${kept.pinId}:1` }]);
  });

  test("a mail that cannot be made holds no other up, and waits until it can", async () => {
    const [first, second] = [await world.makeMaker(), await world.makeMaker()];
    await tell(first.userId, "broken");
    await world.moveClock(MINUTE_MS);
    await tell(second.userId, "whole");
    await world.moveClock(15 * MINUTE_MS);
    const { db } = world.job();
    const barrier = sql.raw(
      `alter table letters add constraint no_mail check (user_id <> '${first.userId}') not valid`,
    );
    await db.execute(barrier);
    const { posted } = await gather().finally(() => db.execute(sql`alter table letters drop constraint no_mail`));
    expect(posted).toBeGreaterThanOrEqual(1);
    expect([(await mailsOf(first.userId)).length, (await mailsOf(second.userId)).length]).toEqual([0, 1]);
    const sent = world.house.sentEvents.filter(({ name }) => name.startsWith("letters/"));
    const [letter] = await mailsOf(second.userId);
    expect(sent.some(({ id }) => id.startsWith(`letter:${letter?.id}:`))).toBe(true);
    await gather();
    expect(await mailsOf(first.userId)).toHaveLength(1);
  });
});
