import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { logins, securityEvents, users } from "#db/schema/identity.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import {
  ACCESS_OVERLAP_MS,
  ACCESS_RENEWAL_MS,
  CONFIRMATION_LIFETIME_MS,
  NEW_DEVICE_EMAILS_MAX,
} from "#lib/features/identity/constants.ts";
import { confirmEmailChange, requestEmailChange } from "#lib/features/identity/email-change.ts";
import { MESSAGES } from "#lib/features/identity/messages.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { changePassword, confirmByPassword } from "#lib/features/identity/passwords.ts";
import { findTokenUser } from "#lib/features/identity/queries.ts";
import { listSecurityEvents } from "#lib/features/identity/security-log.ts";
import { endLogin, endOtherLogins, logOut, renewAccess } from "#lib/features/identity/sessions.ts";
import { deleteUser } from "#lib/features/privacy/erasure.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { listConfirmationMethods } from "#lib/features/sign-in/second-step.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { contextOf } from "#tests/support/context.ts";
import { identitySetup, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-harness.ts";

const setup = identitySetup();

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";
const loginIdOf = (ctx: Person["ctx"]) => (ctx.actor.kind === "user" ? ctx.actor.loginId : "");
const setClock = (at: Date) => setup.harness.moveClock(at.getTime() - setup.harness.now().getTime());
const pass = (ms: number) => setClock(addMs(setup.harness.now(), ms));
afterEach(() => setClock(new Date()));

/** Someone who has confirmed their email. */
const confirmedPerson = async (): Promise<Person> => {
  const person = await setup.person();
  const row = { emailVerifiedAt: new Date(), timeZone: "Asia/Kathmandu" };
  await setup.job().db.update(users).set(row).where(eq(users.id, person.userId));
  return person;
};
const resetLinkOf = async ({ email }: Person): Promise<string> => {
  await requestReset(setup.visitor(), { email });
  await setup.work();
  const emails = await setup.emailsTo(email);
  return tokenIn(
    emails.find(({ subject }) => subject.includes("Reset")),
    "reset-password",
  );
};
const refused = { code: "confirm_identity" };

describe("changes that could take an account over", () => {
  const sensitive: [string, (ctx: Person["ctx"]) => Promise<unknown>][] = [
    ["another email", (ctx) => requestEmailChange(ctx, { email: `n-${loginIdOf(ctx)}@example.com` })],
    ["another password", (ctx) => changePassword(ctx, { newPassword: NEW_PASSWORD })],
    ["deletion", (ctx) => deleteUser(ctx)],
  ];

  test.each(sensitive)("%s needs a confirmation that is at most ten minutes old", async (_, act) => {
    const person = await setup.person();
    const here = await setup.enter(person);
    await pass(CONFIRMATION_LIFETIME_MS + MINUTE_MS);
    await expect(act(here)).rejects.toMatchObject(refused);
    const wrong = { text: MESSAGES.wrongPassword, fields: { password: [MESSAGES.wrongPassword] } };
    await expect(confirmByPassword(here, { password: "not it" })).rejects.toMatchObject({ fields: wrong.fields });
    await expect(act(here)).rejects.toMatchObject(refused);
    // Confirming in another login doesn't count here.
    await confirmByPassword(await setup.enter(person), { password: PASSWORD });
    await expect(act(here)).rejects.toMatchObject(refused);
    await confirmByPassword(here, { password: PASSWORD });
    await pass(CONFIRMATION_LIFETIME_MS - MINUTE_MS);
    await act(here);
  });

  test("a confirmation ends with its login", async () => {
    const person = await setup.person();
    const [here, there] = [await setup.enter(person), await setup.enter(person)];
    await endLogin(here, { loginId: loginIdOf(there) });
    for (const [, act] of sensitive) await expect(act(there)).rejects.toMatchObject(refused);
  });

  test("a process with a wrong clock does not extend it", async () => {
    const here = await setup.enter(await setup.person());
    await pass(CONFIRMATION_LIFETIME_MS + MINUTE_MS);
    setup.harness.skewClock(-5 * MINUTE_MS);
    await expect(changePassword(here, { newPassword: NEW_PASSWORD })).rejects.toMatchObject(refused);
    setup.harness.skewClock(5 * MINUTE_MS);
  });

  test("a user without a password can't confirm with one, and can set one after signing in", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    expect(await listConfirmationMethods(here)).toEqual(["password"]);
    await setup.job().db.update(users).set({ passwordHash: "!google" }).where(eq(users.id, person.userId));
    expect(await listConfirmationMethods(here)).toEqual([]);
    await expect(confirmByPassword(here, { password: "!google" })).rejects.toMatchObject({ code: "invalid" });
    await expect(setup.enter(person, "!google")).rejects.toMatchObject({ code: "wrong_login" });
    await changePassword(here, { newPassword: NEW_PASSWORD });
    await setup.enter(person, NEW_PASSWORD);
  });
});

describe("the security log", () => {
  const kindsOf = async (ctx: Person["ctx"]) =>
    (await listSecurityEvents(ctx)).map(({ kind, detail }) => (detail ? `${kind}: ${detail}` : kind));

  test("lists what happened, the latest first, with device and network, to its owner only", async () => {
    const person = await setup.person();
    const stranger = await setup.enter(await setup.person());
    const here = await setup.enter(person, PASSWORD, FIREFOX);
    const there = await setup.enter(person, PASSWORD, "curl/8.5.0");
    await endLogin(here, { loginId: loginIdOf(there) });
    await setup.enter(person);
    await endOtherLogins(here);
    await endOtherLogins(here);
    const email = `new-${person.email}`;
    await requestEmailChange(here, { email });
    await setup.work();
    const link = tokenIn((await setup.emailsTo(email))[0], "change-email");
    // In a browser where someone else is signed in.
    await confirmEmailChange(stranger, { token: link });
    await changePassword(here, { newPassword: NEW_PASSWORD });
    for await (const _ of await exportData(here));
    await logOut(here);
    await logOut(here);
    await resetPassword(setup.visitor(FIREFOX), {
      token: await resetLinkOf({ ...person, email }),
      newPassword: PASSWORD,
    });
    expect(await kindsOf(here)).toEqual([
      "password_reset",
      "signed_out",
      "data_exported",
      "password_changed",
      `email_changed: ${email}`,
      `email_change_requested: ${email}`,
      "other_logins_ended: 1",
      "signed_in: password",
      "login_ended: curl",
      "signed_in: password",
      "signed_in: password",
    ]);
    const events = await listSecurityEvents(here);
    expect(new Set(events.map(({ network }) => network))).toEqual(new Set(["127.0.0.0/24"]));
    expect([events[0]?.device, events[1]?.device]).toEqual(["Firefox on Linux", "Firefox on Linux"]);
    expect(await kindsOf(stranger)).toEqual(["signed_in: password"]);
    const rows = await setup.job().db.select().from(securityEvents).where(eq(securityEvents.userId, person.userId));
    expect(rows.map(({ loginId }) => loginId)).not.toContain(loginIdOf(stranger));
  });

  test("what failed is not in it", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    await expect(setup.enter(person, "wrong")).rejects.toMatchObject({ code: "wrong_login" });
    await expect(endLogin(here, { loginId: "lgn_x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(requestEmailChange(here, { email: person.email })).rejects.toMatchObject({ code: "invalid" });
    expect(await kindsOf(here)).toEqual(["signed_in: password"]);
  });
});

describe("the email about a sign-in on a new device", () => {
  const SUBJECT = "New sign-in to your Evertack account";
  const enterBy = (person: Pick<Person, "email">, knownBrowser: string | null, password = PASSWORD) => {
    const actor = { kind: "visitor" as const, address: "203.0.113.9", userAgent: FIREFOX, knownBrowser };
    return logIn(contextOf(setup.harness, actor), { email: person.email, password });
  };
  const notices = async ({ email }: Pick<Person, "email">) => {
    await setup.work();
    return (await setup.emailsTo(email)).filter(({ subject }) => subject === SUBJECT);
  };

  test("says which device, when, and what to do; neither the first sign-in nor a known browser sends it", async () => {
    const person = await confirmedPerson();
    const first = await enterBy(person, null);
    await enterBy(person, first.knownBrowser);
    expect(await notices(person)).toEqual([]);
    await enterBy(person, "forged");
    const [notice, ...others] = await notices(person);
    expect(others).toEqual([]);
    expect(notice?.text).toMatch(/Hi Test,/);
    expect(notice?.text).toMatch(
      /Device: Firefox on Linux\n\nTime: .* \(Asia\/Kathmandu\)\n\nNetwork: 203\.0\.113\.0\/24/,
    );
    expect(notice?.links.map((link) => new URL(link).pathname)).toContain("/app/settings");
  });

  test("a browser stops being known with a new password, except the one that set it", async () => {
    const person = await confirmedPerson();
    const old = await enterBy(person, null);
    const here = await setup.enter(person, PASSWORD);
    const before = (await notices(person)).length;
    const { knownBrowser } = await changePassword(here, { newPassword: NEW_PASSWORD });
    await enterBy(person, knownBrowser, NEW_PASSWORD);
    expect(await notices(person)).toHaveLength(before);
    await enterBy(person, old.knownBrowser, NEW_PASSWORD);
    expect(await notices(person)).toHaveLength(before + 1);
    const reset = await resetPassword(setup.visitor(), { token: await resetLinkOf(person), newPassword: PASSWORD });
    await enterBy(person, reset.knownBrowser);
    expect(await notices(person)).toHaveLength(before + 1);
  });

  test("an unconfirmed address gets none; a flood sends five a day", async () => {
    const stranger = await setup.person();
    for (let n = 0; n < 2; n += 1) await enterBy(stranger, null);
    expect(await notices(stranger)).toEqual([]);
    const person = await confirmedPerson();
    for (let n = 0; n < NEW_DEVICE_EMAILS_MAX + 3; n += 1) await enterBy(person, null);
    expect(await notices(person)).toHaveLength(NEW_DEVICE_EMAILS_MAX);
    await pass(DAY_MS + MINUTE_MS);
    await enterBy(person, null);
    expect(await notices(person)).toHaveLength(NEW_DEVICE_EMAILS_MAX + 1);
  });

  test("is not sent when the sign-in fails after it was queued", async () => {
    const person = await confirmedPerson();
    await enterBy(person, null);
    await expect(enterBy(person, null, "wrong")).rejects.toMatchObject({ code: "wrong_login" });
    expect(await notices(person)).toEqual([]);
  });
});

describe("the tokens of a login", () => {
  const claims = (ctx: Person["ctx"], version: number, accessVersion: number | null) =>
    findTokenUser(setup.visitor(), { loginId: loginIdOf(ctx), version, accessVersion }).then(
      (found) => found?.isCurrent,
    );
  const rowOf = async (ctx: Person["ctx"]) =>
    (
      await setup
        .job()
        .db.select()
        .from(logins)
        .where(eq(logins.id, loginIdOf(ctx)))
    )[0];

  test("end with a new password: the cookie's and the access token's", async () => {
    const here = await setup.enter(await setup.person());
    expect([await claims(here, 0, null), await claims(here, 0, 0)]).toEqual([true, true]);
    const { tokens } = await changePassword(here, { newPassword: NEW_PASSWORD });
    expect(tokens).toEqual({ version: 1, accessVersion: 0 });
    expect([await claims(here, 0, null), await claims(here, 0, 0)]).toEqual([false, false]);
    expect([await claims(here, 1, null), await claims(here, 1, 0)]).toEqual([true, true]);
  });

  test("the access token is renewed at most once a day, and the one before works for five more minutes", async () => {
    const here = await setup.enter(await setup.person());
    expect((await renewAccess(here)).tokens.accessVersion).toBe(0);
    await pass(ACCESS_RENEWAL_MS + MINUTE_MS);
    const both = await Promise.all([renewAccess(here), renewAccess(here)]);
    expect(both.map(({ tokens }) => tokens.accessVersion)).toEqual([1, 1]);
    expect([await claims(here, 0, 0), await claims(here, 0, 1), await claims(here, 0, null)]).toEqual([
      true,
      true,
      true,
    ]);
    await pass(ACCESS_OVERLAP_MS + MINUTE_MS);
    expect([await claims(here, 0, 0), await claims(here, 0, 1), await claims(here, 0, null)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await renewAccess(here)).tokens.accessVersion).toBe(1);
  });

  test("of a login that nobody renews stay valid, as documented for other clients", async () => {
    const here = await setup.enter(await setup.person());
    await pass(29 * DAY_MS);
    expect(await claims(here, 0, 0)).toBe(true);
    expect(await rowOf(here)).toMatchObject({ tokenVersion: null, accessVersion: null });
  });
});
