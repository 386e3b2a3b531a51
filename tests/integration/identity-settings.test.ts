import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { logins } from "#db/schema/identity.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { deviceName } from "#lib/features/identity/device.ts";
import { GUESSABLE_TEXTS } from "#lib/features/identity/guessable.ts";
import { changePassword } from "#lib/features/identity/passwords.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { endLogin, endOtherLogins, listLogins, recordLoginUse } from "#lib/features/identity/sessions.ts";
import { identitySetup, NEW_PASSWORD, PASSWORD, type Person } from "./identity-harness.ts";

const setup = identitySetup();

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

const loginIdOf = (ctx: Person["ctx"]) => (ctx.actor.kind === "user" ? ctx.actor.loginId : "");
const isAlive = async (ctx: Person["ctx"]) => (await findSessionUser(setup.visitor(), loginIdOf(ctx))) !== null;
const field = (name: string, text: string) => expect.objectContaining({ code: "invalid", fields: { [name]: [text] } });
const setClock = (at: Date) => setup.harness.moveClock(at.getTime() - setup.harness.now().getTime());
// Reset the clock after each test.
afterEach(() => setClock(new Date()));

describe("changing the password", () => {
  test("ends other logins and notifies the owner", async () => {
    const person = await setup.person();
    const [here, there, elsewhere] = [await setup.enter(person), await setup.enter(person), await setup.enter(person)];
    expect(await changePassword(here, { newPassword: NEW_PASSWORD })).toMatchObject({ endedLogins: 2 });
    expect([await isAlive(here), await isAlive(there), await isAlive(elsewhere)]).toEqual([true, false, false]);
    await expect(setup.enter(person)).rejects.toMatchObject({ code: "wrong_login" });
    expect(await isAlive(await setup.enter(person, NEW_PASSWORD))).toBe(true);
    await setup.work();
    expect((await setup.emailsTo(person.email)).map(({ subject }) => subject)).toContain(
      "Your Evertack password was changed",
    );
  });

  test("refuses common passwords, the user's own words and the product's name", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    const [name = ""] = person.email.split("@");
    for (const [newPassword, text] of [
      ["P@ssword123!", GUESSABLE_TEXTS.common],
      [`${name.toUpperCase()}1!a`, GUESSABLE_TEXTS.personal("Evertack")],
      ["Evertack2026!", GUESSABLE_TEXTS.personal("Evertack")],
    ] as const) {
      const change = changePassword(here, { newPassword });
      await expect(change).rejects.toEqual(field("newPassword", text));
    }
    await setup.enter(person);
  });

  test("of two concurrent changes one succeeds", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    const changes = ["Other-Moss-1!", "Other-Moss-2!"].map((newPassword) => changePassword(here, { newPassword }));
    const ended = await Promise.allSettled(changes);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("the list of logins", () => {
  test("shows device names, the current one first, without locations", async () => {
    const person = await setup.person();
    const opened = setup.harness.now();
    await setup.enter(person, PASSWORD, FIREFOX);
    await setClock(addMs(opened, HOUR_MS));
    const phone = await setup.enter(person, PASSWORD, IPHONE);
    const script = await setup.enter(person, PASSWORD, "curl/8.5.0");
    const list = await listLogins(script);
    expect(list.map(({ device, isCurrent }) => [device, isCurrent])).toEqual([
      ["curl", true],
      ["Safari on iOS", false],
      ["Firefox on Linux", false],
    ]);
    expect(Object.keys(list[0] ?? {}).toSorted()).toEqual(["createdAt", "device", "id", "isCurrent", "lastUsedAt"]);
    const rows = await setup.job().db.select().from(logins).where(eq(logins.userId, person.userId));
    expect(JSON.stringify(rows)).not.toMatch(/127\.0\.0\.1|Mozilla/);
    await setClock(addMs(opened, 30 * DAY_MS + 30 * MINUTE_MS));
    // The first login has expired.
    expect(await listLogins(phone)).toHaveLength(2);
  });

  test.each([
    [FIREFOX, "Firefox on Linux"],
    [IPHONE, "Safari on iOS"],
    ["", "Unknown device"],
    [null, "Unknown device"],
    ["\u0000\u202e", "Unknown device"],
    ["curl/8.5.0", "curl"],
    [`${"x".repeat(5_000)}/1.0`, "Unknown device"],
  ])("user agent %j is '%s'", (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });

  test.each(["<script>alert(1)</script>/1 x", "evil\u0000\r\nset-cookie: a=b/1.0 foo", "'; drop table logins; --/1"])(
    "of the words of %j only letters are kept",
    (userAgent) => {
      expect(deviceName(userAgent)).toMatch(/^[\p{L}\p{N} .+-]{1,60}$/u);
    },
  );

  test("records use at most every 15 minutes", async () => {
    const person = await setup.person();
    const here = await setup.enter(person);
    const lastUse = async () => (await listLogins(here))[0]?.lastUsedAt.getTime() ?? 0;
    const use = async () => {
      const user = await findSessionUser(setup.visitor(), loginIdOf(here));
      if (user) await recordLoginUse(setup.visitor(), user);
    };
    const opened = await lastUse();
    await setup.harness.later(10 * MINUTE_MS, use);
    expect(await lastUse()).toBe(opened);
    await setup.harness.later(20 * MINUTE_MS, use);
    expect(await lastUse()).toBeGreaterThan(opened + 15 * MINUTE_MS);
  });

  test("R-API-31 ends one or all other logins, but not another user's or the current one", async () => {
    const [person, stranger] = [await setup.person(), await setup.person()];
    const [here, there, far] = [await setup.enter(person), await setup.enter(person), await setup.enter(person)];
    const theirs = await setup.enter(stranger);
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
