import { eq, isNull, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinMetrics } from "#db/schema/analytics.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { freeAllowanceClaims } from "#db/schema/credits.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { erasures } from "#db/schema/privacy.ts";
import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { NEW_SYNC_PROGRESS } from "#lib/features/analytics/schema.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { requestSync } from "#lib/features/analytics/sync-queue.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { requestEmailChange } from "#lib/features/identity/email-change.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { saveKeywords } from "#lib/features/keywords/lists.ts";
import { checkStorage } from "#lib/features/pins/storage-outages.ts";
import { deleteUser, eraseUser } from "#lib/features/privacy/erasure.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { seedPublished } from "#tests/support/analytics-pins.ts";
import { contextOf, withFreshLogin } from "#tests/support/context.ts";
import { someoneWaits } from "#tests/support/database.ts";
import { erase, generate, leave, PASSWORD, storeImage, tablesWith } from "./privacy-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";
import { extracted, save } from "./videos-harness.ts";

const setup = publishingSetup();

afterEach(async () => {
  expect((await checkLedger(setup.job())).faults).toEqual([]);
});

const visitor = () => contextOf(setup.harness, { kind: "visitor", address: "127.0.0.1" });
const rowOf = async ({ userId }: Creator) => (await setup.job().db.select().from(users).where(eq(users.id, userId)))[0];

/** Kinds of queued emails that contain a name. */
const emailKindsWith = async (text: string) =>
  (await setup.job().db.select().from(emailOutbox))
    .filter(({ content, recipient }) => JSON.stringify([content, recipient]).toLowerCase().includes(text.toLowerCase()))
    .map(({ content }) => Object(content).kind)
    .toSorted();

/** A deleted user's complete row; new columns must be added here. */
const erasedUser = ({ userId }: Creator) => ({
  id: userId,
  email: "",
  emailKey: ` closed ${userId}`,
  username: "",
  usernameKey: ` closed ${userId}`,
  firstName: "",
  lastName: "",
  passwordHash: "",
  emailVerifiedAt: null,
  plan: "free",
  planEndsAt: null,
  timeZone: "UTC",
  mutedEmails: [],
  chosenTimeZone: null,
  createdAt: expect.any(Date),
  closedAt: expect.any(Date),
});

/** Before there are pins whose images nobody stored. */
beforeEach(async () => {
  await checkStorage(setup.job());
});

describe("deleting a user", () => {
  test("requires a confirmed login; of two concurrent calls one deletes", async () => {
    const creator = await setup.insertCreator();
    await expect(deleteUser(creator.ctx)).rejects.toMatchObject({ code: "confirm_identity" });
    expect((await rowOf(creator))?.closedAt).toBeNull();
    const both = await Promise.allSettled([leave(creator), leave(creator)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await setup.job().db.$count(erasures, eq(erasures.userId, creator.userId))).toBe(1);
  });

  test("succeeds beside a change that holds an account and then refers to the user", async () => {
    const creator = await setup.insertCreator();
    let leaving: Promise<unknown> = Promise.resolve();
    await setup.job().db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from ${pinterestAccounts} where id = ${creator.account.id} for share`);
      leaving = leave(creator);
      leaving.catch(() => undefined);
      await someoneWaits(setup.job().db);
      await tx.execute(sql`select 1 from ${users} where id = ${creator.userId} for key share`);
    });
    await leaving;
    expect((await rowOf(creator))?.closedAt).not.toBeNull();
  });

  test("immediately ends logins, erases tokens, frees the address and queues a farewell email", async () => {
    const creator = await setup.insertCreator();
    const { email = "" } = (await rowOf(creator)) ?? {};
    const login = await logIn(visitor(), { email, password: PASSWORD });
    await requestEmailChange(await withFreshLogin(creator.ctx), { email: `new-${email}` });
    await leave(creator);
    expect(await findSessionUser(visitor(), login.loginId)).toBeNull();
    for (const address of [email, "", `closed ${creator.userId}`]) {
      await expect(logIn(visitor(), { email: address, password: PASSWORD })).rejects.toMatchObject({
        code: "wrong_login",
      });
    }
    const [account] = await setup
      .job()
      .db.select()
      .from(pinterestAccounts)
      .where(eq(pinterestAccounts.id, creator.account.id));
    expect(account).toMatchObject({ status: "removed", accessTokenSealed: null, refreshTokenSealed: null });
    const waiting = await setup.job().db.select().from(emailOutbox);
    const about = waiting.filter(({ recipient }) => recipient.endsWith(email));
    expect(about.map(({ recipient, content }) => [recipient, Object(content).kind])).toEqual([[email, "farewell"]]);
    const again = {
      firstName: "New",
      lastName: "Owner",
      username: email.split("@")[0] ?? "",
      email,
      password: PASSWORD,
    };
    expect((await registerUser(visitor(), again)).userId).not.toBe(creator.userId);
  });

  test("immediately deletes Pinterest metrics and stops syncs", async () => {
    const creator = await setup.insertCreator();
    const publishedAt = setup.harness.now();
    const pin = { title: "A sheet", keyword: null, boardId: creator.boardId, publishedAt };
    await seedPublished(setup.harness.database.db, setup.pinterest, creator, [pin]);
    const { id: accountId } = creator.account;
    expect(await requestSync(creator.ctx, { accountId })).toEqual({ isRequested: true });
    const move = () => syncAnalytics(setup.job(), { accountId, generation: 1, sweeps: 0, progress: NEW_SYNC_PROGRESS });
    const countFigures = () => setup.job().db.$count(pinMetrics, eq(pinMetrics.accountId, accountId));
    expect(await move()).toEqual({ kind: "done", outcome: "covered" });
    expect(await countFigures()).toBe(1);
    await leave(creator);
    expect(await countFigures()).toBe(0);
    expect(await move()).toEqual({ kind: "done", outcome: "not_needed" });
  });

  test("finally leaves no personal data and images, and an intact ledger", async () => {
    const creator = await setup.insertCreator();
    const before = (await rowOf(creator)) ?? { email: "", username: "" };
    const db = setup.job().db;
    const person = { firstName: "Zuzana", emailVerifiedAt: new Date(), chosenTimeZone: "Antarctica/Troll" };
    await db
      .update(users)
      .set({ ...person, mutedEmails: ["pins_failed"] })
      .where(eq(users.id, creator.userId));
    await logIn(
      { ...visitor(), actor: { kind: "visitor", address: "", userAgent: "Canary/1" } },
      { email: before.email, password: PASSWORD },
    );
    await startConnection(creator.ctx, { accountId: creator.account.id });
    await sendMessage(visitor(), {
      name: "Zuzana",
      email: before.email.toUpperCase(),
      subject: "Help",
      message: "About me.",
    });
    const keys = [await storeImage(setup), await storeImage(setup), await storeImage(setup)];
    const secret = "zebra crossing";
    const published = await setup.scheduled(creator, { imageKey: keys[0] ?? "", title: secret });
    expect(await setup.drive(published)).toMatchObject({ result: "published" });
    await setup.scheduled(creator, { imageKey: keys[1] ?? "", description: secret });
    await setup.draft(creator, { imageKey: keys[2] ?? "", keyword: secret });
    await generate(creator, [secret, `${secret} 2`]);
    await saveKeywords(creator.ctx, { name: secret, keywords: [secret] });
    await save(creator.ctx, [extracted({ title: secret }), extracted({ author: "Canary" })]);
    const typed = [before.email, before.email.toUpperCase(), before.username, "Zuzana", "Antarctica/Troll"];
    const named = [...typed, secret, "Canary", creator.account.username];
    expect((await Promise.all(named.map((text) => tablesWith(setup.job(), text)))).every((at) => at.length > 0)).toBe(
      true,
    );

    // The mail server is down, so both emails of the message are queued.
    expect(await emailKindsWith(before.email)).toEqual(["contact_copy", "contact_message"]);
    await leave(creator);
    expect(await emailKindsWith(before.email)).toEqual(["farewell"]);
    expect(await emailKindsWith("Zuzana")).toEqual(["farewell"]);
    // Sending the email deletes it.
    await db.delete(emailOutbox).where(sql`${emailOutbox.content} ->> 'firstName' = 'Zuzana'`);
    await erase(setup, creator);

    expect(await rowOf(creator)).toEqual(erasedUser(creator));
    for (const text of named) expect([text, await tablesWith(setup.job(), text)]).toEqual([text, []]);
    expect(await tablesWith(setup.job(), creator.userId)).toEqual([
      "credit_balances",
      "credit_reservations",
      "credit_transfers",
      "erasures",
      "users",
    ]);
    // The hash of the Pinterest user id stays, without the user.
    expect(await db.$count(freeAllowanceClaims, isNull(freeAllowanceClaims.userId))).toBeGreaterThan(0);
    for (const key of keys) expect([key, await setup.job().storage.get(key)]).toEqual([key, null]);
    expect(await findBalance(setup.job(), creator.userId)).toMatchObject({ held: 0, allowance: 5 });
    expect(await eraseUser(setup.job(), creator)).toEqual({ kind: "done" });
    expect((await setup.publicPins(creator)).length).toBe(1);
  });

  test("other users lose nothing", async () => {
    const [creator, otherUser] = [await setup.insertCreator(), await setup.insertCreator()];
    const imageKey = await storeImage(setup);
    // Both use the same image, which never happens in practice; it would be kept.
    const remaining = await setup.draft(otherUser, { imageKey });
    await setup.draft(creator, { imageKey });
    await sendMessage(visitor(), {
      name: "N",
      email: (await rowOf(otherUser))?.email ?? "",
      subject: "S",
      message: "M",
    });
    const messages = await setup.job().db.$count(contactMessages);
    await leave(creator);
    await erase(setup, creator);
    expect((await setup.pin(remaining)).status).toBe("draft");
    expect(await setup.job().storage.get(imageKey)).not.toBeNull();
    expect(await setup.job().db.$count(contactMessages)).toBe(messages);
    expect((await rowOf(otherUser))?.closedAt).toBeNull();
    const [account] = await setup
      .job()
      .db.select()
      .from(pinterestAccounts)
      .where(eq(pinterestAccounts.id, otherUser.account.id));
    expect(account?.accessTokenSealed).not.toBeNull();
  });

  test("keeps messages from an unverified address, which may belong to another person", async () => {
    const creator = await setup.insertCreator();
    const { email = "" } = (await rowOf(creator)) ?? {};
    await sendMessage(visitor(), { name: "N", email, subject: "S", message: "M" });
    await leave(creator);
    expect(await setup.job().db.$count(contactMessages, eq(contactMessages.email, email))).toBe(1);
  });
});
