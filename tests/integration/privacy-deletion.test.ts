import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures } from "#db/schema/analytics.ts";
import { contactMessages } from "#db/schema/contact.ts";
import { letters } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { erasures } from "#db/schema/privacy.ts";
import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { askForResults } from "#lib/features/analytics/gathering-queue.ts";
import { NEW_WALK } from "#lib/features/analytics/schema.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { ANSWERS } from "#lib/features/identity/answers.ts";
import { requestEmailChange } from "#lib/features/identity/email-change.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { deleteUser, eraseUser } from "#lib/features/privacy/erasure.ts";
import { contextOf } from "#tests/support/context.ts";
import { seedPublished } from "#tests/support/results-pins.ts";
import { erase, generate, leave, PASSWORD, storePicture, tablesWith } from "./privacy-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";
import { extracted, save } from "./videos-house.ts";

const world = publishingWorld();

afterEach(async () => {
  expect((await checkLedger(world.job())).faults).toEqual([]);
});

const visitor = () => contextOf(world.house, { kind: "visitor", address: "127.0.0.1" });
const rowOf = async ({ userId }: Maker) => (await world.job().db.select().from(users).where(eq(users.id, userId)))[0];

/** Kinds of the mails that wait and name somebody. */
const lettersWith = async (name: string) =>
  (await world.job().db.select().from(letters))
    .map(({ content }) => Object(content))
    .filter((content) => JSON.stringify(content).includes(name))
    .map(({ kind }) => kind)
    .toSorted();

/** All of a deleted user's row: whoever adds a column says here what becomes of it. */
const nobody = ({ userId }: Maker) => ({
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
  mutedMails: [],
  chosenTimeZone: null,
  createdAt: expect.any(Date),
  closedAt: expect.any(Date),
});

describe("QUALITY §2 row 30: deleting a user", () => {
  test("asks for the password: a wrong one changes nothing, and of two at once one deletes", async () => {
    const maker = await world.makeMaker();
    await expect(deleteUser(maker.ctx, { password: "not it" })).rejects.toMatchObject({
      code: "invalid",
      fields: { password: [ANSWERS.wrongPassword] },
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

  test("D8 at once: what Pinterest told of pins is deleted, and the fetching of it ends", async () => {
    const maker = await world.makeMaker();
    const publishedAt = world.house.now();
    const pin = { title: "A sheet", keyword: null, boardId: maker.boardId, publishedAt };
    await seedPublished(world.house.database.db, world.pinterest, maker, [pin]);
    const { id: accountId } = maker.account;
    expect(await askForResults(maker.ctx, { accountId })).toEqual({ isAsked: true });
    const move = () => gatherResults(world.job(), { accountId, generation: 1, sweeps: 0, walk: NEW_WALK });
    const countFigures = () => world.job().db.$count(pinFigures, eq(pinFigures.accountId, accountId));
    expect(await move()).toEqual({ kind: "done", outcome: "covered" });
    expect(await countFigures()).toBe(1);
    await leave(maker);
    expect(await countFigures()).toBe(0);
    expect(await move()).toEqual({ kind: "done", outcome: "not_needed" });
  });

  test("in the end: no row names the person, no picture is left, and the ledger is whole", async () => {
    const maker = await world.makeMaker();
    const before = (await rowOf(maker)) ?? { email: "", username: "" };
    const db = world.job().db;
    const person = { firstName: "Zuzana", emailVerifiedAt: new Date(), chosenTimeZone: "Antarctica/Troll" };
    await db
      .update(users)
      .set({ ...person, mutedMails: ["pins_failed"] })
      .where(eq(users.id, maker.userId));
    await logIn(
      { ...visitor(), actor: { kind: "visitor", address: "", userAgent: "Canary/1" } },
      { email: before.email, password: PASSWORD },
    );
    await startConnection(maker.ctx, { accountId: maker.account.id });
    await sendMessage(visitor(), {
      name: "Zuzana",
      email: before.email.toUpperCase(),
      subject: "Help",
      message: "About me.",
    });
    const keys = [await storePicture(world), await storePicture(world), await storePicture(world)];
    const secret = "zebra crossing";
    const published = await world.scheduled(maker, { imageKey: keys[0] ?? "", title: secret });
    expect(await world.drive(published)).toMatchObject({ result: "published" });
    await world.scheduled(maker, { imageKey: keys[1] ?? "", description: secret });
    await world.draft(maker, { imageKey: keys[2] ?? "", keyword: secret });
    await generate(maker, [secret, `${secret} 2`]);
    await save(maker.ctx, [extracted({ title: secret }), extracted({ author: "Canary" })]);
    const typed = [before.email, before.email.toUpperCase(), before.username, "Zuzana", "Antarctica/Troll"];
    const named = [...typed, secret, "Canary", maker.account.username];
    expect((await Promise.all(named.map((text) => tablesWith(world.job(), text)))).every((at) => at.length > 0)).toBe(
      true,
    );

    // The mail server is away: both mails of the message wait.
    expect(await lettersWith("Zuzana")).toEqual(["contact_copy", "contact_message"]);
    await leave(maker);
    expect(await lettersWith("Zuzana")).toEqual(["farewell"]);
    // It is sent, and deleted with that.
    await db.delete(letters).where(sql`${letters.content} ->> 'firstName' = 'Zuzana'`);
    await erase(world, maker);

    expect(await rowOf(maker)).toEqual(nobody(maker));
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
    const imageKey = await storePicture(world);
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
