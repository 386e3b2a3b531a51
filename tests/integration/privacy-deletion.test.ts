import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { logins, users } from "#db/schema/identity.ts";
import { letters } from "#db/schema/letters.ts";
import { pins } from "#db/schema/pins.ts";
import { erasures } from "#db/schema/privacy.ts";
import { startConnection } from "#lib/features/accounts/start-connection.ts";
import { storeConnection } from "#lib/features/accounts/store-connection.ts";
import { sendMessage } from "#lib/features/contact/send-message.ts";
import { checkLedger } from "#lib/features/credits/check-ledger.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { startGeneration } from "#lib/features/generation/start-generation.ts";
import { TEXTS } from "#lib/features/identity/constants.ts";
import { logIn } from "#lib/features/identity/log-in.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/register-user.ts";
import { requestEmailChange } from "#lib/features/identity/request-email-change.ts";
import { PATIENCE_MS, SETTLE_MS } from "#lib/features/privacy/constants.ts";
import { deleteUser } from "#lib/features/privacy/delete-user.ts";
import { eraseUser } from "#lib/features/privacy/erase-user.ts";
import { sweepErasures } from "#lib/features/privacy/sweep-erasures.ts";
import { publishPin } from "#lib/features/publishing/publish-pin.ts";
import { contextOf } from "#tests/support/context.ts";
import { erase, heldAtPinterest, leave, PASSWORD, tablesWith } from "./privacy-house.ts";
import { CREATE, type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

afterEach(async () => {
  expect((await checkLedger(world.job())).faults).toEqual([]);
});

const visitor = () => contextOf(world.house, { kind: "visitor", address: "127.0.0.1" });
const rowOf = async ({ userId }: Maker) => (await world.job().db.select().from(users).where(eq(users.id, userId)))[0];
const generate = ({ ctx, account, boardId }: Maker, keywords: string[]) =>
  startGeneration(ctx, {
    accountId: account.id,
    boardId,
    quality: "standard",
    rows: keywords.map((keyword) => ({ keyword, url: null })),
  });

let pictures = 0;
/** A picture of its own in the storage. */
const storePicture = async (): Promise<string> => {
  pictures += 1;
  const imageKey = `pins/private-${pictures}.jpg`;
  const bytes = await world.job().storage.get("pins/test.jpg");
  await world.job().storage.put(imageKey, bytes ?? new Uint8Array());
  return imageKey;
};

describe("QUALITY §2 row 30: deleting a user", () => {
  test("asks for the password: a wrong one changes nothing, and of two at once one deletes", async () => {
    const maker = await world.makeMaker();
    await expect(deleteUser(maker.ctx, { password: "not it" })).rejects.toMatchObject({
      code: "invalid",
      fields: { password: [TEXTS.wrongPassword] },
    });
    expect((await rowOf(maker))?.closedAt).toBeNull();
    const both = await Promise.allSettled([leave(maker), leave(maker)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await world.job().db.$count(erasures, eq(erasures.userId, maker.userId))).toBe(1);
  });

  test("at once: logins end, tokens are gone, the address is free, and one last mail waits to be sent", async () => {
    const maker = await world.makeMaker();
    const { email = "" } = (await rowOf(maker)) ?? {};
    const login = await logIn(visitor(), { email, password: PASSWORD });
    await requestEmailChange(maker.ctx, { email: `new-${email}`, password: PASSWORD });
    await leave(maker);
    expect(await findSessionUser(visitor(), login.loginId)).toBeNull();
    for (const address of [email, "", `closed ${maker.userId}`]) {
      await expect(logIn(visitor(), { email: address, password: PASSWORD })).rejects.toMatchObject({
        code: "wrong_login",
      });
    }
    const [account] = await world
      .job()
      .db.select()
      .from(pinterestAccounts)
      .where(eq(pinterestAccounts.id, maker.account.id));
    expect(account).toMatchObject({ status: "removed", accessTokenSealed: null, refreshTokenSealed: null });
    const waiting = await world.job().db.select().from(letters);
    const about = waiting.filter(({ recipient }) => recipient.endsWith(email));
    expect(about.map(({ recipient, content }) => [recipient, Object(content).kind])).toEqual([[email, "farewell"]]);
    const again = {
      firstName: "New",
      lastName: "Owner",
      username: email.split("@")[0] ?? "",
      email,
      password: PASSWORD,
    };
    expect((await registerUser(visitor(), again)).userId).not.toBe(maker.userId);
  });

  test("in the end: no row names the person, no picture is left, and the ledger is whole", async () => {
    const maker = await world.makeMaker();
    const before = (await rowOf(maker)) ?? { email: "", username: "" };
    const db = world.job().db;
    await db.update(users).set({ firstName: "Zuzana", emailVerifiedAt: new Date() }).where(eq(users.id, maker.userId));
    await logIn(
      { ...visitor(), actor: { kind: "visitor", address: "", userAgent: "Canary/1" } },
      { email: before.email, password: PASSWORD },
    );
    await startConnection(maker.ctx, { accountId: maker.account.id });
    await sendMessage(visitor(), { name: "Zuzana", email: before.email, subject: "Help", message: "About me." });
    const keys = [await storePicture(), await storePicture(), await storePicture()];
    const secret = "zebra crossing";
    const published = await world.scheduled(maker, { imageKey: keys[0] ?? "", title: secret });
    expect(await world.drive(published)).toMatchObject({ result: "published" });
    await world.scheduled(maker, { imageKey: keys[1] ?? "", description: secret });
    await world.draft(maker, { imageKey: keys[2] ?? "", keyword: secret });
    await generate(maker, [secret, `${secret} 2`]);
    // The mails to and from support are sent by now.
    await db.delete(letters);
    const named = [before.email, before.username, "Zuzana", secret, "Canary", maker.account.username];
    expect((await Promise.all(named.map((text) => tablesWith(world.job(), text)))).every((at) => at.length > 0)).toBe(
      true,
    );

    await leave(maker);
    await db.delete(letters);
    await erase(world, maker);

    for (const text of named) expect([text, await tablesWith(world.job(), text)]).toEqual([text, []]);
    expect(await tablesWith(world.job(), maker.userId)).toEqual([
      "credit_balances",
      "credit_reservations",
      "credit_transfers",
      "erasures",
      "users",
    ]);
    for (const key of keys) expect([key, await world.job().storage.get(key)]).toEqual([key, null]);
    expect(await findBalance(world.job(), maker.userId)).toMatchObject({ held: 0, allowance: 5 });
    expect(await eraseUser(world.job(), maker)).toEqual({ kind: "done" });
    expect((await world.publicPins(maker)).length).toBe(1);
  });

  test("nobody else loses anything", async () => {
    const [maker, neighbour] = [await world.makeMaker(), await world.makeMaker()];
    const imageKey = await storePicture();
    // Both show the same picture, which does not happen; it would stay.
    const kept = await world.draft(neighbour, { imageKey });
    await world.draft(maker, { imageKey });
    await sendMessage(visitor(), {
      name: "N",
      email: (await rowOf(neighbour))?.email ?? "",
      subject: "S",
      message: "M",
    });
    const messages = await world.job().db.$count(contactMessages);
    await leave(maker);
    await erase(world, maker);
    expect((await world.pin(kept)).status).toBe("draft");
    expect(await world.job().storage.get(imageKey)).not.toBeNull();
    expect(await world.job().db.$count(contactMessages)).toBe(messages);
    expect((await rowOf(neighbour))?.closedAt).toBeNull();
    const [account] = await world
      .job()
      .db.select()
      .from(pinterestAccounts)
      .where(eq(pinterestAccounts.id, neighbour.account.id));
    expect(account?.accessTokenSealed).not.toBeNull();
  });

  test("messages from an address that was never confirmed stay: they may be somebody else's", async () => {
    const maker = await world.makeMaker();
    const { email = "" } = (await rowOf(maker)) ?? {};
    await sendMessage(visitor(), { name: "N", email, subject: "S", message: "M" });
    await leave(maker);
    expect(await world.job().db.$count(contactMessages, eq(contactMessages.email, email))).toBe(1);
  });
});

describe("R-SRV-03 pins of a user who leaves", () => {
  test("a due pin is not called any more", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await leave(maker);
    await world.pinterest.forgetCalls();
    expect(await publishPin(world.job(), { ...scheduled, accountId: maker.account.id })).toEqual({
      kind: "done",
      result: "draft",
    });
    await erase(world, maker);
    expect(await publishPin(world.job(), { ...scheduled, accountId: maker.account.id })).toEqual({
      kind: "done",
      result: "superseded",
    });
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });

  test.each([
    ["answered before the rows go", 0],
    ["answered when the rows are gone", SETTLE_MS],
  ])("one that is being called just then is sent once, and never again: %s", async (_, hangsMs) => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const run = { ...scheduled, accountId: maker.account.id };
    await world.pinterest.forgetCalls();
    const worker = heldAtPinterest(world.job());
    const publishing = publishPin(worker.ctx, run);
    await worker.called;
    await leave(maker);
    expect(await eraseUser(world.job(), maker)).toMatchObject({ kind: "wait" });
    await world.moveClock(hangsMs);
    if (hangsMs > 0) expect(await eraseUser(world.job(), maker)).toEqual({ kind: "done" });
    worker.allow();
    const ended = await publishing;
    expect(ended).toMatchObject({ kind: "done", result: hangsMs > 0 ? "superseded" : "published" });
    expect(await world.publicPins(maker)).toHaveLength(1);
    if (hangsMs === 0) await erase(world, maker);
    // Whoever comes later, another worker or the sweep, finds nothing to send.
    expect(await publishPin(world.job("other"), run)).toMatchObject({ result: "superseded" });
    expect(await world.pinterest.calls(CREATE)).toBe(1);
    expect(await world.job().db.$count(pins, eq(pins.userId, maker.userId))).toBe(0);
  });

  test("R-SRV-01 pins being made are given up, and what was held for them returns", async () => {
    const maker = await world.makeMaker();
    await generate(maker, ["one", "two", "three"]);
    await leave(maker);
    await eraseUser(world.job(), maker);
    const tasks = await world.job().db.select().from(generationTasks).where(eq(generationTasks.userId, maker.userId));
    expect(tasks.map(({ status }) => status)).toEqual(["FAILURE", "FAILURE", "FAILURE"]);
    expect(await findBalance(world.job(), maker.userId)).toMatchObject({ allowance: 5, held: 0 });
  });
});

describe("what comes in between", () => {
  test("DESIGN §5.6 a process that dies after the commit is followed by the sweep", async () => {
    const maker = await world.makeMaker();
    world.house.failNextSend();
    await leave(maker);
    const mine = () => world.house.sentEvents.filter(({ id }) => id.startsWith(`erase:${maker.userId}`));
    await sweepErasures(world.job());
    const early = mine().length;
    await world.moveClock(PATIENCE_MS + 1_000);
    await sweepErasures(world.job());
    expect(mine().slice(early)).toEqual([
      { name: "privacy/erasure.requested", id: `erase:${maker.userId}:1`, data: { userId: maker.userId } },
    ]);
    await erase(world, maker);
    await world.moveClock(PATIENCE_MS + SETTLE_MS);
    await sweepErasures(world.job());
    expect(mine()).toHaveLength(early + 1);
  });

  test("one who dies while erasing is followed by one who goes on, down to the last picture", async () => {
    const maker = await world.makeMaker();
    const keys = [await storePicture(), await storePicture()];
    for (const imageKey of keys) await world.draft(maker, { imageKey });
    await leave(maker);
    await eraseUser(world.job(), maker);
    await world.moveClock(SETTLE_MS);
    const job = world.job();
    let deletions = 0;
    const dying = {
      ...job,
      storage: {
        ...job.storage,
        delete: async (key: string) => {
          deletions += 1;
          if (deletions > 1) throw new Error("The storage does not answer.");
          await job.storage.delete(key);
        },
      },
    };
    await expect(eraseUser(dying, maker)).rejects.toThrow("The storage does not answer.");
    expect(await world.job().db.$count(logins, eq(logins.userId, maker.userId))).toBe(0);
    expect(await eraseUser(job, maker)).toEqual({ kind: "done" });
    for (const key of keys) expect(await job.storage.get(key)).toBeNull();
  });

  test("a consent that comes back late brings no tokens back", async () => {
    const maker = await world.makeMaker();
    const { userId, account } = maker;
    await leave(maker);
    const tokens = {
      accessToken: "pina_late",
      refreshToken: "pinr_late",
      accessExpiresAt: new Date(),
      refreshExpiresAt: new Date(),
      scopes: [],
    };
    const profile = { pinterestUserId: account.pinterestUserId, username: account.username };
    const stored = await storeConnection(world.job(), { userId, accountId: null, tokens, profile } as never);
    expect(stored).toEqual({ kind: "failed", reason: "state" });
    const [row] = await world.job().db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(row).toMatchObject({ status: "removed", accessTokenSealed: null });
  });
});
