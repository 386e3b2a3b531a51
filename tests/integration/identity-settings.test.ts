import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailChanges, logins, users } from "#db/schema/identity.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { cancelEmailChange } from "#lib/features/identity/cancel-email-change.ts";
import { changePassword } from "#lib/features/identity/change-password.ts";
import { confirmEmailChange } from "#lib/features/identity/confirm-email-change.ts";
import { TEXTS } from "#lib/features/identity/constants.ts";
import { endLogin } from "#lib/features/identity/end-login.ts";
import { endOtherLogins } from "#lib/features/identity/end-other-logins.ts";
import { listLogins } from "#lib/features/identity/list-logins.ts";
import { nameDevice } from "#lib/features/identity/name-device.ts";
import { noteUse } from "#lib/features/identity/note-use.ts";
import { findEmailChange, findSessionUser } from "#lib/features/identity/queries.ts";
import { registerUser } from "#lib/features/identity/register-user.ts";
import { requestEmailChange } from "#lib/features/identity/request-email-change.ts";
import { requestReset } from "#lib/features/identity/request-reset.ts";
import { resetPassword } from "#lib/features/identity/reset-password.ts";
import { identityWorld, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-house.ts";

const world = identityWorld();

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

const loginIdOf = (ctx: Person["ctx"]) => (ctx.actor.kind === "user" ? ctx.actor.loginId : "");
const isAlive = async (ctx: Person["ctx"]) => (await findSessionUser(world.visitor(), loginIdOf(ctx))) !== null;
const field = (name: string, text: string) => expect.objectContaining({ code: "invalid", fields: { [name]: [text] } });
const rowOf = async ({ userId }: Person) => (await world.job().db.select().from(users).where(eq(users.id, userId)))[0];

describe("changing the password", () => {
  test("asks for the present one; this login goes on, the others end, and the owner is told", async () => {
    const person = await world.person();
    const [here, there, elsewhere] = [await world.enter(person), await world.enter(person), await world.enter(person)];
    const wrong = { currentPassword: "not it", newPassword: NEW_PASSWORD };
    await expect(changePassword(here, wrong)).rejects.toEqual(field("currentPassword", TEXTS.wrongPassword));
    expect([await isAlive(there), await isAlive(elsewhere)]).toEqual([true, true]);
    const right = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect(await changePassword(here, right)).toEqual({ endedLogins: 2 });
    expect([await isAlive(here), await isAlive(there), await isAlive(elsewhere)]).toEqual([true, false, false]);
    await expect(world.enter(person)).rejects.toMatchObject({ code: "wrong_login" });
    expect(await isAlive(await world.enter(person, NEW_PASSWORD))).toBe(true);
    await world.work();
    expect((await world.mailsTo(person.email)).map(({ subject }) => subject)).toContain(
      "Your Evertack password was changed",
    );
  });

  test("of two changes at once one holds, and the other says so", async () => {
    const person = await world.person();
    const here = await world.enter(person);
    const changes = ["Other-Moss-1!", "Other-Moss-2!"].map((newPassword) =>
      changePassword(here, { currentPassword: PASSWORD, newPassword }),
    );
    const ended = await Promise.allSettled(changes);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("the list of logins", () => {
  test("tells devices apart by name, the present one first, and nothing of where they are", async () => {
    const person = await world.person();
    await world.enter(person, PASSWORD, FIREFOX);
    await world.house.moveClock(HOUR_MS);
    const phone = await world.enter(person, PASSWORD, IPHONE);
    const script = await world.enter(person, PASSWORD, "curl/8.5.0");
    const list = await listLogins(script);
    expect(list.map(({ device, isCurrent }) => [device, isCurrent])).toEqual([
      ["curl", true],
      ["Safari on iOS", false],
      ["Firefox on Linux", false],
    ]);
    expect(Object.keys(list[0] ?? {}).toSorted()).toEqual(["createdAt", "device", "id", "isCurrent", "lastUsedAt"]);
    const rows = await world.job().db.select().from(logins).where(eq(logins.userId, person.userId));
    expect(JSON.stringify(rows)).not.toMatch(/127\.0\.0\.1|Mozilla/);
    await world.house.moveClock(30 * DAY_MS - 30 * MINUTE_MS);
    // The first is over.
    expect(await listLogins(phone)).toHaveLength(2);
    await world.house.moveClock(-30 * DAY_MS + 30 * MINUTE_MS - HOUR_MS);
  });

  test.each([
    [FIREFOX, "Firefox on Linux"],
    [IPHONE, "Safari on iOS"],
    ["", "Unknown device"],
    [null, "Unknown device"],
    ["\u0000\u202e", "Unknown device"],
    ["curl/8.5.0", "curl"],
    [`${"x".repeat(5_000)}/1.0`, "Unknown device"],
  ])("a browser that says %j is '%s'", (userAgent, name) => {
    expect(nameDevice(userAgent)).toBe(name);
  });

  test.each(["<script>alert(1)</script>/1 x", "evil\u0000\r\nset-cookie: a=b/1.0 foo", "'; drop table logins; --/1"])(
    "of the words of %j only letters are kept",
    (userAgent) => {
      expect(nameDevice(userAgent)).toMatch(/^[\p{L}\p{N} .+-]{1,60}$/u);
    },
  );

  test("use is noted at most once in a quarter of an hour", async () => {
    const person = await world.person();
    const here = await world.enter(person);
    const lastUse = async () => (await listLogins(here))[0]?.lastUsedAt.getTime() ?? 0;
    const use = async () => {
      const user = await findSessionUser(world.visitor(), loginIdOf(here));
      if (user) await noteUse(world.visitor(), user);
    };
    const opened = await lastUse();
    await world.house.later(10 * MINUTE_MS, use);
    expect(await lastUse()).toBe(opened);
    await world.house.later(20 * MINUTE_MS, use);
    expect(await lastUse()).toBeGreaterThan(opened + 15 * MINUTE_MS);
  });

  test("R-API-31 one can be ended, or all others; a foreign one is not found, the present one is refused", async () => {
    const [person, stranger] = [await world.person(), await world.person()];
    const [here, there, far] = [await world.enter(person), await world.enter(person), await world.enter(person)];
    const theirs = await world.enter(stranger);
    for (const loginId of [loginIdOf(theirs), "lgn_x", "' or 1=1 --"]) {
      await expect(endLogin(here, { loginId })).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(endLogin(here, { loginId: loginIdOf(here) })).rejects.toMatchObject({ code: "wrong_state" });
    await endLogin(here, { loginId: loginIdOf(there) });
    await expect(endLogin(here, { loginId: loginIdOf(there) })).rejects.toMatchObject({ code: "not_found" });
    expect([await isAlive(here), await isAlive(there), await isAlive(far)]).toEqual([true, false, true]);
    expect(await endOtherLogins(here)).toEqual({ endedLogins: 1 });
    expect(await endOtherLogins(here)).toEqual({ endedLogins: 0 });
    expect([await isAlive(here), await isAlive(far), await isAlive(theirs)]).toEqual([true, false, true]);
  });
});

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
    await expect(ask(here, "a@example.com", "wrong")).rejects.toEqual(field("password", TEXTS.wrongPassword));
    await expect(ask(here, person.email.toUpperCase())).rejects.toEqual(field("email", TEXTS.sameEmail));
    await expect(ask(here, other.email.toUpperCase())).rejects.toEqual(field("email", TEXTS.emailTaken));
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
    await world.house.later(DAY_MS, async () => expect(await confirm(late)).toEqual(dead));
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
});
