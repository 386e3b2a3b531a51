import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { FORGOTTEN_FIRST_MS } from "#lib/features/email/constants.ts";
import { sweepLetters } from "#lib/features/email/delivery.ts";
import type { Letter } from "#lib/features/email/schema.ts";
import { addEntry, gatherDigests } from "#lib/features/notifications/digests.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { BREAKDOWNS_MAX, TEXTS } from "#lib/features/publishing/constants.ts";
import { releasePin } from "#lib/features/publishing/publisher.ts";
import { retryPin } from "#lib/features/publishing/retries.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

type Digest = Extract<Letter, { kind: "digest" }>;

const entriesOf = (userId: UserId) =>
  world.job().db.select().from(digestEntries).where(eq(digestEntries.userId, userId));

/** The mails that were made for a user so far, oldest first. */
const mailsOf = async (userId: UserId): Promise<Digest[]> => {
  const rows = await world.job().db.select().from(letters).where(eq(letters.userId, userId)).orderBy(letters.createdAt);
  return rows.map(({ content }) => content as Letter).filter((letter) => letter.kind === "digest");
};

const gather = () => gatherDigests(world.job());

const tell = (userId: UserId, subject: string, kind: Digest["sections"][number]["about"] = "pins_failed") =>
  inTransaction(world.job(), (tx) =>
    addEntry(tx, { userId, kind, about: subject, occasion: 1, subject, reason: "For a reason." }),
  );

const failOne = async (maker: Maker) => {
  const scheduled = await world.scheduled(maker);
  await world.pinterest.strike({
    match: CREATE,
    scenario: "image-broken",
    where: { account: maker.account.username },
  });
  expect(await world.drive(scheduled)).toMatchObject({ result: "failed" });
  return scheduled;
};

const lose = async (maker: Maker) => {
  await world.pinterest.revoke(maker.account.username);
  const ctx = world.job();
  await expect(
    withAccessToken(ctx, maker.account.id, (token) => ctx.pinterest.readProfile(token)),
  ).rejects.toMatchObject({ code: "reconnect_needed" });
};

describe("R-SRV-04 what a mail is to tell is written when it happens", () => {
  test("a pin that Pinterest refuses for good, with title and reason, once however often it is settled", async () => {
    const maker = await world.makeMaker();
    const { pinId } = await failOne(maker);
    const pin = await world.pin(pinId);
    expect(await entriesOf(maker.userId)).toMatchObject([
      { kind: "pins_failed", cause: `${pinId}:1`, subject: pin.title, reason: pin.reason, mailedAt: null },
    ]);
  });

  test("a pin that is given up after breakdowns of ours, and none before that", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    for (let n = 0; n < BREAKDOWNS_MAX; n += 1) await releasePin(world.job(), scheduled);
    expect(await entriesOf(maker.userId)).toEqual([]);
    await Promise.all([releasePin(world.job(), scheduled), releasePin(world.job("other"), scheduled)]);
    expect(await entriesOf(maker.userId)).toMatchObject([{ kind: "pins_failed", reason: TEXTS.ourFault }]);
  });

  test("R-SRV-05 an account whose token is dead, once for many calls that find it so", async () => {
    const maker = await world.makeMaker();
    await world.pinterest.revoke(maker.account.username);
    const ctx = world.job();
    const call = () => withAccessToken(ctx, maker.account.id, (token) => ctx.pinterest.readProfile(token));
    await Promise.allSettled(Array.from({ length: 5 }, call));
    expect(await entriesOf(maker.userId)).toMatchObject([
      { kind: "account_lost", subject: maker.account.username, mailedAt: null },
    ]);
  });

  test("what is mended before anybody was told is not told: connected again, tried again", async () => {
    const maker = await world.makeMaker();
    const { pinId } = await failOne(maker);
    await lose(maker);
    expect(await entriesOf(maker.userId)).toHaveLength(2);
    await tryToConnect(maker.ctx, world.pinterest, maker.account.username, { accountId: maker.account.id });
    await retryPin(maker.ctx, { pinId });
    expect(await entriesOf(maker.userId)).toEqual([]);
    await world.moveClock(HOUR_MS);
    await gather();
    expect(await mailsOf(maker.userId)).toEqual([]);
  });

  test("what is rolled back is told to nobody", async () => {
    const { userId } = await world.makeMaker();
    const failing = inTransaction(world.job(), async (tx) => {
      await addEntry(tx, { userId, kind: "pins_failed", about: "x", occasion: 1, subject: "x", reason: "" });
      throw new Error("after all not");
    });
    await expect(failing).rejects.toThrow("after all not");
    expect(await entriesOf(userId)).toEqual([]);
  });
});

describe("one mail tells many things", () => {
  test("a quarter of an hour after the first, with all that happened until then, by kind", async () => {
    const maker = await world.makeMaker();
    await failOne(maker);
    await world.moveClock(10 * MINUTE_MS);
    await lose(maker);
    await gather();
    expect(await mailsOf(maker.userId)).toEqual([]);
    await world.moveClock(5 * MINUTE_MS);
    await gather();
    const [mail, ...others] = await mailsOf(maker.userId);
    expect(others).toEqual([]);
    expect(mail?.sections).toMatchObject([
      { about: "pins_failed", total: 1 },
      { about: "account_lost", total: 1, items: [{ subject: maker.account.username }] },
    ]);
    expect(mail?.unsubscribe.claim).toBe(`${maker.userId}.pins_failed.account_lost`);
  });

  test("not more than one an hour: what happens meanwhile waits for its end, whatever waited how long", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "first");
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    await tell(userId, "second");
    await world.moveClock(59 * MINUTE_MS);
    await gather();
    expect(await mailsOf(userId)).toHaveLength(1);
    await world.moveClock(MINUTE_MS);
    await gather();
    expect((await mailsOf(userId)).map(({ sections }) => sections[0]?.items[0]?.subject)).toEqual(["first", "second"]);
  });

  test("many: the first ten by name, all by number", async () => {
    const { userId } = await world.makeMaker();
    for (let n = 1; n <= 12; n += 1) await tell(userId, `pin ${n}`);
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    const [mail] = await mailsOf(userId);
    expect([mail?.sections[0]?.total, mail?.sections[0]?.items.length]).toEqual([12, 10]);
  });

  test("two workers at once make one mail of it, and a run after that makes none", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "once");
    await world.moveClock(15 * MINUTE_MS);
    await Promise.all([gatherDigests(world.job()), gatherDigests(world.job("other")), gatherDigests(world.job())]);
    await world.moveClock(2 * HOUR_MS);
    await gather();
    expect(await mailsOf(userId)).toHaveLength(1);
  });

  test("whoever dies before the mail is announced leaves it to the sweep; it is not made again", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "left");
    await world.moveClock(15 * MINUTE_MS);
    world.house.failNextSend();
    await gather();
    await gather();
    const rows = await world.job().db.select().from(letters).where(eq(letters.userId, userId));
    expect(rows).toHaveLength(1);
    const sent = () => world.house.sentEvents.filter(({ id }) => id.startsWith(`letter:${rows[0]?.id}:`));
    expect(sent()).toEqual([]);
    await world.moveClock(FORGOTTEN_FIRST_MS + MINUTE_MS);
    await sweepLetters(world.job());
    expect(sent()).toHaveLength(1);
  });

  test("the same occasion, written again after it was mailed, is not told again", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "again");
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    await tell(userId, "again");
    await world.moveClock(2 * HOUR_MS);
    await gather();
    expect(await mailsOf(userId)).toHaveLength(1);
  });
});

describe("who is not told", () => {
  const switchOff = (userId: UserId, mutedMails: string[]) =>
    world.job().db.update(users).set({ mutedMails }).where(eq(users.id, userId));

  test("what was switched off is left out and forgotten, the other kinds are told", async () => {
    const { userId } = await world.makeMaker();
    await switchOff(userId, ["pins_failed"]);
    await tell(userId, "a pin");
    await tell(userId, "an account", "account_lost");
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    expect((await mailsOf(userId)).map(({ sections }) => sections.map(({ about }) => about))).toEqual([
      ["account_lost"],
    ]);
    await switchOff(userId, []);
    await world.moveClock(2 * HOUR_MS);
    await gather();
    expect(await mailsOf(userId)).toHaveLength(1);
  });

  test("all switched off: no mail, and nothing is kept", async () => {
    const { userId } = await world.makeMaker();
    await switchOff(userId, ["pins_failed", "account_lost", "links_dead"]);
    await tell(userId, "a pin");
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    expect([await mailsOf(userId), await entriesOf(userId)]).toEqual([[], []]);
  });

  test("a user who deleted their account: no mail, and nothing is kept", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "a pin");
    await world.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, userId));
    await world.moveClock(15 * MINUTE_MS);
    await gather();
    expect([await mailsOf(userId), await entriesOf(userId)]).toEqual([[], []]);
  });

  test("DESIGN §5.6 after a week it is deleted, mailed or not", async () => {
    const { userId } = await world.makeMaker();
    await tell(userId, "old");
    const own = and(eq(digestEntries.userId, userId), eq(digestEntries.subject, "old"));
    await world.moveClock(7 * DAY_MS - MINUTE_MS);
    await RETENTION_RULES["digest-entries"](world.job());
    expect(await world.job().db.$count(digestEntries, own)).toBe(1);
    await world.moveClock(2 * MINUTE_MS);
    await RETENTION_RULES["digest-entries"](world.job());
    expect(await world.job().db.$count(digestEntries, own)).toBe(0);
  });
});
