import { and, eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { emailChanges, users } from "#db/schema/identity.ts";
import { sha256 } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { EMAIL_CHANGES_MAX } from "#lib/features/identity/constants.ts";
import { cancelEmailChange, confirmEmailChange, requestEmailChange } from "#lib/features/identity/email-change.ts";
import { MESSAGES } from "#lib/features/identity/messages.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { changePassword } from "#lib/features/identity/passwords.ts";
import { findEmailChange, findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { identitySetup, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-harness.ts";

const setup = identitySetup();

const loginIdOf = (ctx: Person["ctx"]) => (ctx.actor.kind === "user" ? ctx.actor.loginId : "");
const isAlive = async (ctx: Person["ctx"]) => (await findSessionUser(setup.visitor(), loginIdOf(ctx))) !== null;
const field = (name: string, text: string) => expect.objectContaining({ code: "invalid", fields: { [name]: [text] } });
const rowOf = async ({ userId }: Person) => (await setup.job().db.select().from(users).where(eq(users.id, userId)))[0];
const isWaiting = ({ userId }: Person) => and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt));
const setClock = (at: Date) => setup.harness.moveClock(at.getTime() - setup.harness.now().getTime());
// Reset the clock after each test.
afterEach(() => setClock(new Date()));

describe("changing the email", () => {
  const ask = (ctx: Person["ctx"], email: string) => requestEmailChange(ctx, { email });
  const linkTo = async (email: string) => {
    await setup.work();
    return tokenIn((await setup.emailsTo(email))[0], "change-email");
  };
  const confirm = (token: string) => confirmEmailChange(setup.visitor(), { token });

  test("is confirmed once from the new address, notifies the old one, and stores no plain token", async () => {
    const person = await setup.person();
    await setup.job().db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, person.userId));
    const here = await setup.enter(person);
    const email = `New.${person.email}`;
    expect(await ask(here, email)).toEqual({ email });
    expect((await rowOf(person))?.email).toBe(person.email);
    expect(await findEmailChange(here)).toMatchObject({ email });
    const token = await linkTo(email);
    const [warned] = await setup.emailsTo(person.email);
    expect(warned?.subject).toBe("Request to change your Evertack email");
    expect(warned?.text).toContain(email);
    // The notice to the old address does not contain the confirmation link.
    expect(warned?.links.filter((link) => link.includes("change-email"))).toEqual([]);
    const rows = await setup.job().db.select().from(emailChanges).where(eq(emailChanges.userId, person.userId));
    expect([token.length > 40, JSON.stringify(rows).includes(token)]).toEqual([true, false]);
    const uses = await Promise.all([confirm(token), confirm(token)]);
    expect(uses.map(({ kind }) => kind).toSorted()).toEqual(["changed", "invalid_link"]);
    expect(await rowOf(person)).toMatchObject({
      email,
      emailKey: email.toLowerCase(),
      emailVerifiedAt: expect.any(Date),
    });
    expect([await findEmailChange(here), await isAlive(here)]).toEqual([null, true]);
    await setup.enter({ email });
    await expect(setup.enter(person)).rejects.toMatchObject({ code: "wrong_login" });
    await setup.work();
    const [notice] = await setup.emailsTo(person.email);
    expect(notice?.subject).toBe("Your Evertack email was changed");
    expect(notice?.text).toContain(email);
  });

  test("an old address that was never confirmed gets neither the name nor the new address", async () => {
    const person = await setup.person();
    const email = `buy-now.${person.email}`;
    await ask(await setup.enter(person), email);
    await confirm(await linkTo(email));
    await setup.work();
    const notices = await setup.emailsTo(person.email);
    expect(notices.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["Your Evertack email was changed", "Request to change your Evertack email"]),
    );
    for (const { text, html } of notices) expect(`${text}${html}`).not.toMatch(/buy-now|Test/);
    const [link] = await setup.emailsTo(email);
    expect(link?.text).toMatch(/^Hello,\n/);
  });

  test("rejects the same address and a taken one by field", async () => {
    const [person, other] = [await setup.person(), await setup.person()];
    const here = await setup.enter(person);
    const events = setup.harness.sentEvents.length;
    await expect(ask(here, person.email.toUpperCase())).rejects.toEqual(field("email", MESSAGES.sameEmail));
    await expect(ask(here, other.email.toUpperCase())).rejects.toEqual(field("email", MESSAGES.emailTaken));
    expect(setup.harness.sentEvents.length).toBe(events);
    expect(await findEmailChange(here)).toBeNull();
  });

  test("fails when the address was taken in the meantime", async () => {
    const person = await setup.person();
    const email = `raced-${person.email}`;
    await ask(await setup.enter(person), email);
    const token = await linkTo(email);
    const name = email.split("@")[0]?.slice(0, 40) ?? "";
    await registerUser(setup.visitor(), { firstName: "A", lastName: "B", username: name, email, password: PASSWORD });
    expect(await confirm(token)).toEqual({ kind: "taken" });
    expect((await rowOf(person))?.email).toBe(person.email);
  });

  test("another change, cancellation, expiry and a new password invalidate the link", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    const dead = { kind: "invalid_link" };
    const begin = async (n: number) => {
      await ask(here, `n${n}-${person.email}`);
      return linkTo(`n${n}-${person.email}`);
    };
    const overtaken = await begin(1);
    const cancelled = await begin(2);
    expect(await confirm(overtaken)).toEqual(dead);
    await cancelEmailChange(here);
    expect(await confirm(cancelled)).toEqual(dead);
    const late = await begin(3);
    const [waiting] = await setup.job().db.select().from(emailChanges).where(isWaiting(person));
    if (!waiting) throw new Error("There is no such change");
    expect(waiting.expiresAt.getTime() - waiting.createdAt.getTime()).toBe(DAY_MS);
    await setClock(waiting.expiresAt);
    expect(await confirm(late)).toEqual(dead);
    await setClock(new Date());
    const changed = await begin(4);
    await changePassword(here, { newPassword: NEW_PASSWORD });
    expect(await confirm(changed)).toEqual(dead);
    // An attacker who is signed in starts a change; the owner recovers the account with a reset.
    const hijack = await begin(5);
    await requestReset(setup.visitor(), { email: person.email });
    await setup.work();
    const emails = await setup.emailsTo(person.email);
    const token = tokenIn(
      emails.find(({ subject }) => subject.includes("Reset")),
      "reset-password",
    );
    await resetPassword(setup.visitor(), { token, newPassword: "Third-Moss-1!" });
    expect(await confirm(hijack)).toEqual(dead);
    expect((await rowOf(person))?.email).toBe(person.email);
  });

  test("the link works until a minute before it expires", async () => {
    const person = await setup.person();
    const email = `late-${person.email}`;
    await ask(await setup.enter(person), email);
    const token = await linkTo(email);
    const [waiting] = await setup.job().db.select().from(emailChanges).where(isWaiting(person));
    if (!waiting) throw new Error("There is no such change");
    await setClock(addMs(waiting.expiresAt, -MINUTE_MS));
    expect(await confirm(token)).toEqual({ kind: "changed", email });
  });

  test("R-SRV-09 limits links to five a day per user and per address, also under concurrency", async () => {
    const enter = async () => {
      const person = await setup.person();
      return { ...person, ctx: await setup.enter(person) };
    };
    const [first, second, third] = [await enter(), await enter(), await enter()];
    const { db, now } = setup.job();
    /** Inserts earlier changes, one fewer than the daily limit. */
    const seed = (userId: UserId, email: string) =>
      db.insert(emailChanges).values(
        Array.from({ length: EMAIL_CHANGES_MAX - 1 }, (_, n) => {
          const [createdAt, expiresAt] = [now(), addMs(now(), DAY_MS)];
          const id = `${userId}-${n}`;
          return { id, userId, tokenHash: sha256(id), email, createdAt, expiresAt, endedAt: createdAt };
        }),
      );
    const refused = (text: string) => expect.objectContaining({ code: "too_many", fields: { email: [text] } });
    const stranger = `stranger-${first.email}`;
    await seed(first.userId, stranger.toUpperCase());
    const results = await Promise.allSettled([ask(second.ctx, stranger), ask(third.ctx, stranger)]);
    const refusals = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refusals).toEqual([refused(MESSAGES.manyToEmail)]);
    await ask(first.ctx, `fifth-${first.email}`);
    await expect(ask(first.ctx, `sixth-${first.email}`)).rejects.toEqual(refused(MESSAGES.manyEmailChanges));
    await setup.work();
    const counts = [stranger, `fifth-${first.email}`, `sixth-${first.email}`].map((to) => setup.emailsTo(to));
    expect((await Promise.all(counts)).map(({ length }) => length)).toEqual([1, 1, 0]);
    await setup.harness.later(DAY_MS + MINUTE_MS, async () => ask(await setup.enter(first), stranger));
  });
});
