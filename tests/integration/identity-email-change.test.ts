import { and, eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { emailChanges, users } from "#db/schema/identity.ts";
import { sha256 } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { ANSWERS } from "#lib/features/identity/answers.ts";
import { EMAIL_CHANGES_MAX } from "#lib/features/identity/constants.ts";
import { cancelEmailChange, confirmEmailChange, requestEmailChange } from "#lib/features/identity/email-change.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { changePassword } from "#lib/features/identity/passwords.ts";
import { findEmailChange, findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { identityWorld, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-house.ts";

const world = identityWorld();

const loginIdOf = (ctx: Person["ctx"]) => (ctx.actor.kind === "user" ? ctx.actor.loginId : "");
const isAlive = async (ctx: Person["ctx"]) => (await findSessionUser(world.visitor(), loginIdOf(ctx))) !== null;
const field = (name: string, text: string) => expect.objectContaining({ code: "invalid", fields: { [name]: [text] } });
const rowOf = async ({ userId }: Person) => (await world.job().db.select().from(users).where(eq(users.id, userId)))[0];
const isWaiting = ({ userId }: Person) => and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt));
const setClock = (at: Date) => world.house.moveClock(at.getTime() - world.house.now().getTime());
// However a test ends, the next one begins at the true time.
afterEach(() => setClock(new Date()));

describe("changing the mail address", () => {
  const ask = (ctx: Person["ctx"], email: string, password = PASSWORD) => requestEmailChange(ctx, { email, password });
  const linkTo = async (email: string) => {
    await world.work();
    return tokenIn((await world.mailsTo(email))[0], "change-email");
  };
  const confirm = (token: string) => confirmEmailChange(world.visitor(), { token });

  test("the new address confirms, once; the old one is told when it is asked for and when it is done; the database holds no plain token", async () => {
    const person = await world.person();
    const here = await world.enter(person);
    const email = `New.${person.email}`;
    expect(await ask(here, email)).toEqual({ email });
    expect((await rowOf(person))?.email).toBe(person.email);
    expect(await findEmailChange(here)).toMatchObject({ email });
    const token = await linkTo(email);
    const [warned] = await world.mailsTo(person.email);
    expect(warned?.subject).toBe("A new email for your Evertack account?");
    expect(warned?.text).toContain(email);
    // What confirms it is not in the note: whoever reads the old inbox alone cannot.
    expect(warned?.links.filter((link) => link.includes("change-email"))).toEqual([]);
    const rows = await world.job().db.select().from(emailChanges).where(eq(emailChanges.userId, person.userId));
    expect([token.length > 40, JSON.stringify(rows).includes(token)]).toEqual([true, false]);
    const uses = await Promise.all([confirm(token), confirm(token)]);
    expect(uses.map(({ kind }) => kind).toSorted()).toEqual(["changed", "invalid_link"]);
    expect(await rowOf(person)).toMatchObject({
      email,
      emailKey: email.toLowerCase(),
      emailVerifiedAt: expect.any(Date),
    });
    expect([await findEmailChange(here), await isAlive(here)]).toEqual([null, true]);
    await world.enter({ email });
    await expect(world.enter(person)).rejects.toMatchObject({ code: "wrong_login" });
    await world.work();
    const [told] = await world.mailsTo(person.email);
    expect(told?.subject).toBe("Your Evertack email was changed");
    expect(told?.text).toContain(email);
  });

  test("a wrong password, one's own address and a taken one are refused by field, and nothing is sent", async () => {
    const [person, other] = [await world.person(), await world.person()];
    const here = await world.enter(person);
    const events = world.house.sentEvents.length;
    await expect(ask(here, "a@example.com", "wrong")).rejects.toEqual(field("password", ANSWERS.wrongPassword));
    await expect(ask(here, person.email.toUpperCase())).rejects.toEqual(field("email", ANSWERS.sameEmail));
    await expect(ask(here, other.email.toUpperCase())).rejects.toEqual(field("email", ANSWERS.emailTaken));
    expect(world.house.sentEvents.length).toBe(events);
    expect(await findEmailChange(here)).toBeNull();
  });

  test("an address that was taken meanwhile stays with whoever has it", async () => {
    const person = await world.person();
    const email = `raced-${person.email}`;
    await ask(await world.enter(person), email);
    const token = await linkTo(email);
    const name = email.split("@")[0]?.slice(0, 40) ?? "";
    await registerUser(world.visitor(), { firstName: "A", lastName: "B", username: name, email, password: PASSWORD });
    expect(await confirm(token)).toEqual({ kind: "taken" });
    expect((await rowOf(person))?.email).toBe(person.email);
  });

  test("a later change, taking it back, a day, and a new password each end the link", async () => {
    const person = await world.person();
    const here = await world.enter(person);
    const dead = { kind: "invalid_link" };
    const begin = async (n: number, password = PASSWORD) => {
      await ask(here, `n${n}-${person.email}`, password);
      return linkTo(`n${n}-${person.email}`);
    };
    const overtaken = await begin(1);
    const cancelled = await begin(2);
    expect(await confirm(overtaken)).toEqual(dead);
    await cancelEmailChange(here);
    expect(await confirm(cancelled)).toEqual(dead);
    const late = await begin(3);
    const [waiting] = await world.job().db.select().from(emailChanges).where(isWaiting(person));
    if (!waiting) throw new Error("There is no such change");
    expect(waiting.expiresAt.getTime() - waiting.createdAt.getTime()).toBe(DAY_MS);
    await setClock(waiting.expiresAt);
    expect(await confirm(late)).toEqual(dead);
    await setClock(new Date());
    const changed = await begin(4);
    await changePassword(here, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect(await confirm(changed)).toEqual(dead);
    // Whoever had the password begins a change; the owner takes the account back by a reset.
    const hijack = await begin(5, NEW_PASSWORD);
    await requestReset(world.visitor(), { email: person.email });
    await world.work();
    const mails = await world.mailsTo(person.email);
    const token = tokenIn(
      mails.find(({ subject }) => subject.includes("Reset")),
      "reset-password",
    );
    await resetPassword(world.visitor(), { token, newPassword: "Third-Moss-1!" });
    expect(await confirm(hijack)).toEqual(dead);
    expect((await rowOf(person))?.email).toBe(person.email);
  });

  test("a minute before its day is over the link still works", async () => {
    const person = await world.person();
    const email = `late-${person.email}`;
    await ask(await world.enter(person), email);
    const token = await linkTo(email);
    const [waiting] = await world.job().db.select().from(emailChanges).where(isWaiting(person));
    if (!waiting) throw new Error("There is no such change");
    await setClock(addMs(waiting.expiresAt, -MINUTE_MS));
    expect(await confirm(token)).toEqual({ kind: "changed", email });
  });

  test("R-SRV-09 nobody's inbox is filled: five links a day by one user, and five to one address, at one moment too", async () => {
    const [first, second, third] = [await world.person(), await world.person(), await world.person()];
    const { db, now } = world.job();
    /** Changes that a person has begun before, all but one of those that may be. */
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
    const asked = await Promise.allSettled([ask(second.ctx, stranger), ask(third.ctx, stranger)]);
    const refusals = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refusals).toEqual([refused(ANSWERS.manyToEmail)]);
    await ask(first.ctx, `fifth-${first.email}`);
    await expect(ask(first.ctx, `sixth-${first.email}`)).rejects.toEqual(refused(ANSWERS.manyEmailChanges));
    await world.work();
    const counts = [stranger, `fifth-${first.email}`, `sixth-${first.email}`].map((to) => world.mailsTo(to));
    expect((await Promise.all(counts)).map(({ length }) => length)).toEqual([1, 1, 0]);
    await world.house.later(DAY_MS + MINUTE_MS, () => ask(first.ctx, stranger));
  });
});
