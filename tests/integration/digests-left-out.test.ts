import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { addDigestEntry, sendDigests } from "#lib/features/notifications/digests.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const entriesOf = (userId: UserId) =>
  setup.job().db.select().from(digestEntries).where(eq(digestEntries.userId, userId));

const emailsOf = (userId: UserId) => setup.job().db.select().from(emailOutbox).where(eq(emailOutbox.userId, userId));

const runDigests = () => sendDigests(setup.job());

const addEntry = (userId: UserId, about: string) =>
  inTransaction(setup.job(), (tx) =>
    addDigestEntry(tx, { userId, kind: "pins_failed", about, occasion: 1, subject: about, reason: "For a reason." }),
  );

const failOne = async (creator: Creator) => {
  const scheduled = await setup.scheduled(creator);
  const where = { account: creator.account.username };
  await setup.pinterest.addFault({ match: CREATE, scenario: "image-broken", where });
  expect(await setup.drive(scheduled)).toMatchObject({ result: "failed" });
  return scheduled;
};

describe("R-SRV-04 what a digest leaves out", () => {
  test("R-POST-11 omits a failed pin that was deleted", async () => {
    const creator = await setup.insertCreator();
    const [deleted, remaining] = [await failOne(creator), await failOne(creator)];
    await deleteDrafts(creator.ctx, { pinIds: [deleted.pinId] });
    expect(await entriesOf(creator.userId)).toMatchObject([{ cause: `${remaining.pinId}:1` }]);
  });

  test("a failing digest does not block others and is retried", async () => {
    const [first, second] = [await setup.insertCreator(), await setup.insertCreator()];
    await addEntry(first.userId, "broken");
    await setup.moveClock(MINUTE_MS);
    await addEntry(second.userId, "whole");
    await setup.moveClock(15 * MINUTE_MS);
    const { db } = setup.job();
    const barrier = sql.raw(
      `alter table email_outbox add constraint no_mail check (user_id <> '${first.userId}') not valid`,
    );
    await db.execute(barrier);
    const { queued } = await runDigests().finally(() =>
      db.execute(sql`alter table email_outbox drop constraint no_mail`),
    );
    expect(queued).toBeGreaterThanOrEqual(1);
    expect([(await emailsOf(first.userId)).length, (await emailsOf(second.userId)).length]).toEqual([0, 1]);
    const sent = setup.harness.sentEvents.filter(({ name }) => name.startsWith("email/"));
    const [content] = await emailsOf(second.userId);
    expect(sent.some(({ id }) => id.startsWith(`email:${content?.id}:`))).toBe(true);
    await runDigests();
    expect(await emailsOf(first.userId)).toHaveLength(1);
  });
});
