import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { STALLED_FIRST_MS } from "#lib/features/email/constants.ts";
import { sweepOutbox } from "#lib/features/email/delivery.ts";
import type { EmailContent } from "#lib/features/email/schema.ts";
import { addDigestEntry, sendDigests } from "#lib/features/notifications/digests.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { FAILED_RUNS_MAX, TEXTS } from "#lib/features/publishing/constants.ts";
import { releasePin } from "#lib/features/publishing/publisher.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

type Digest = Extract<EmailContent, { kind: "digest" }>;

const entriesOf = (userId: UserId) =>
  setup.job().db.select().from(digestEntries).where(eq(digestEntries.userId, userId));

/** A user's queued digests, oldest first. */
const emailsOf = async (userId: UserId): Promise<Digest[]> => {
  const rows = await setup
    .job()
    .db.select()
    .from(emailOutbox)
    .where(eq(emailOutbox.userId, userId))
    .orderBy(emailOutbox.createdAt);
  return rows.map(({ content }) => content as EmailContent).filter((content) => content.kind === "digest");
};

const runDigests = () => sendDigests(setup.job());

const addEntry = (userId: UserId, subject: string, kind: Digest["sections"][number]["about"] = "pins_failed") =>
  inTransaction(setup.job(), (tx) =>
    addDigestEntry(tx, { userId, kind, about: subject, occasion: 1, subject, reason: "For a reason." }),
  );

const failOne = async (creator: Creator) => {
  const scheduled = await setup.scheduled(creator);
  await setup.pinterest.addFault({
    match: CREATE,
    scenario: "image-broken",
    where: { account: creator.account.username },
  });
  expect(await setup.drive(scheduled)).toMatchObject({ result: "failed" });
  return scheduled;
};

const lose = async (creator: Creator) => {
  await setup.pinterest.revoke(creator.account.username);
  const ctx = setup.job();
  await expect(
    withAccessToken(ctx, creator.account.id, (token) => ctx.pinterest.readProfile(token)),
  ).rejects.toMatchObject({ code: "reconnect_needed" });
};

describe("R-SRV-04 digest entries", () => {
  test("records a rejected pin once, with title and reason", async () => {
    const creator = await setup.insertCreator();
    const { pinId } = await failOne(creator);
    const pin = await setup.pin(pinId);
    expect(await entriesOf(creator.userId)).toMatchObject([
      { kind: "pins_failed", cause: `${pinId}:1`, subject: pin.title, reason: pin.reason, mailedAt: null },
    ]);
  });

  test("records a pin that failed because of our errors, but only once it is given up", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    for (let n = 0; n < FAILED_RUNS_MAX; n += 1) {
      await releasePin(setup.job(), scheduled);
      await setup.moveClock(5 * HOUR_MS);
    }
    expect(await entriesOf(creator.userId)).toEqual([]);
    await Promise.all([releasePin(setup.job(), scheduled), releasePin(setup.job("other"), scheduled)]);
    expect(await entriesOf(creator.userId)).toMatchObject([{ kind: "pins_failed", reason: TEXTS.internalError }]);
  });

  test("R-SRV-05 records a disconnected account once", async () => {
    const creator = await setup.insertCreator();
    await setup.pinterest.revoke(creator.account.username);
    const ctx = setup.job();
    const call = () => withAccessToken(ctx, creator.account.id, (token) => ctx.pinterest.readProfile(token));
    await Promise.allSettled(Array.from({ length: 5 }, call));
    expect(await entriesOf(creator.userId)).toMatchObject([
      { kind: "account_lost", subject: creator.account.username, mailedAt: null },
    ]);
  });

  test("removes resolved entries: reconnected accounts and retried pins", async () => {
    const creator = await setup.insertCreator();
    const { pinId } = await failOne(creator);
    await lose(creator);
    expect(await entriesOf(creator.userId)).toHaveLength(2);
    await tryToConnect(creator.ctx, setup.pinterest, creator.account.username, { accountId: creator.account.id });
    await retryPin(creator.ctx, { pinId });
    expect(await entriesOf(creator.userId)).toEqual([]);
    await setup.moveClock(HOUR_MS);
    await runDigests();
    expect(await emailsOf(creator.userId)).toEqual([]);
  });

  test("a rolled back event leaves no entry", async () => {
    const { userId } = await setup.insertCreator();
    const failing = inTransaction(setup.job(), async (tx) => {
      await addDigestEntry(tx, { userId, kind: "pins_failed", about: "x", occasion: 1, subject: "x", reason: "" });
      throw new Error("after all not");
    });
    await expect(failing).rejects.toThrow("after all not");
    expect(await entriesOf(userId)).toEqual([]);
  });
});

describe("a digest", () => {
  test("is sent 15 minutes after the first event, with all events by kind", async () => {
    const creator = await setup.insertCreator();
    await failOne(creator);
    await setup.moveClock(10 * MINUTE_MS);
    await lose(creator);
    await runDigests();
    expect(await emailsOf(creator.userId)).toEqual([]);
    await setup.moveClock(5 * MINUTE_MS);
    await runDigests();
    const [email, ...others] = await emailsOf(creator.userId);
    expect(others).toEqual([]);
    expect(email?.sections).toMatchObject([
      { about: "pins_failed", total: 1 },
      { about: "account_lost", total: 1, items: [{ subject: creator.account.username }] },
    ]);
    expect(email?.unsubscribe.claim).toBe(`${creator.userId}.pins_failed.account_lost`);
  });

  test("is sent at most once an hour", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "first");
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    await addEntry(userId, "second");
    await setup.moveClock(59 * MINUTE_MS);
    await runDigests();
    expect(await emailsOf(userId)).toHaveLength(1);
    await setup.moveClock(MINUTE_MS);
    await runDigests();
    expect((await emailsOf(userId)).map(({ sections }) => sections[0]?.items[0]?.subject)).toEqual(["first", "second"]);
  });

  test("lists the first ten events and counts the rest", async () => {
    const { userId } = await setup.insertCreator();
    for (let n = 1; n <= 12; n += 1) await addEntry(userId, `pin ${n}`);
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    const [email] = await emailsOf(userId);
    expect([email?.sections[0]?.total, email?.sections[0]?.items.length]).toEqual([12, 10]);
  });

  test("is sent once by two concurrent workers", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "once");
    await setup.moveClock(15 * MINUTE_MS);
    await Promise.all([sendDigests(setup.job()), sendDigests(setup.job("other")), sendDigests(setup.job())]);
    await setup.moveClock(2 * HOUR_MS);
    await runDigests();
    expect(await emailsOf(userId)).toHaveLength(1);
  });

  test("is sent by the sweep after a crash, and not duplicated", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "left");
    await setup.moveClock(15 * MINUTE_MS);
    setup.harness.failNextSend();
    await runDigests();
    await runDigests();
    const rows = await setup.job().db.select().from(emailOutbox).where(eq(emailOutbox.userId, userId));
    expect(rows).toHaveLength(1);
    const sent = () => setup.harness.sentEvents.filter(({ id }) => id.startsWith(`email:${rows[0]?.id}:`));
    expect(sent()).toEqual([]);
    await setup.moveClock(STALLED_FIRST_MS + MINUTE_MS);
    await sweepOutbox(setup.job());
    expect(sent()).toHaveLength(1);
  });

  test("does not repeat an occasion that was already emailed", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "again");
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    await addEntry(userId, "again");
    await setup.moveClock(2 * HOUR_MS);
    await runDigests();
    expect(await emailsOf(userId)).toHaveLength(1);
  });
});

describe("who gets no digest", () => {
  const switchOff = (userId: UserId, mutedEmails: string[]) =>
    setup.job().db.update(users).set({ mutedEmails }).where(eq(users.id, userId));

  test("muted kinds are left out and deleted, other kinds are sent", async () => {
    const { userId } = await setup.insertCreator();
    await switchOff(userId, ["pins_failed"]);
    await addEntry(userId, "a pin");
    await addEntry(userId, "an account", "account_lost");
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    expect((await emailsOf(userId)).map(({ sections }) => sections.map(({ about }) => about))).toEqual([
      ["account_lost"],
    ]);
    await switchOff(userId, []);
    await setup.moveClock(2 * HOUR_MS);
    await runDigests();
    expect(await emailsOf(userId)).toHaveLength(1);
  });

  test("with all kinds muted nothing is sent or kept", async () => {
    const { userId } = await setup.insertCreator();
    await switchOff(userId, ["pins_failed", "account_lost", "links_dead"]);
    await addEntry(userId, "a pin");
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    expect([await emailsOf(userId), await entriesOf(userId)]).toEqual([[], []]);
  });

  test("for a deleted user nothing is sent or kept", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "a pin");
    await setup.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, userId));
    await setup.moveClock(15 * MINUTE_MS);
    await runDigests();
    expect([await emailsOf(userId), await entriesOf(userId)]).toEqual([[], []]);
  });

  test("entries are deleted after a week, sent or not", async () => {
    const { userId } = await setup.insertCreator();
    await addEntry(userId, "old");
    const own = and(eq(digestEntries.userId, userId), eq(digestEntries.subject, "old"));
    await setup.moveClock(7 * DAY_MS - MINUTE_MS);
    await RETENTION_RULES["digest-entries"](setup.job());
    expect(await setup.job().db.$count(digestEntries, own)).toBe(1);
    await setup.moveClock(2 * MINUTE_MS);
    await RETENTION_RULES["digest-entries"](setup.job());
    expect(await setup.job().db.$count(digestEntries, own)).toBe(0);
  });
});
