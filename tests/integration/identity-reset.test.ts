import argon2 from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { passwordResets, users } from "#db/schema/identity.ts";
import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { ANSWERS } from "#lib/features/identity/answers.ts";
import { RESET_LINKS_AT_ONCE, RESET_PAUSE_MS } from "#lib/features/identity/constants.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { identityWorld, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-house.ts";

// The package's own functions, with an eye on how often they are called.
// Files share a process, and what another one has loaded already hashes without being watched.
vi.hoisted(() => vi.resetModules());
vi.mock("@node-rs/argon2", { spy: true });

const world = identityWorld();
const refused = (text: string) => expect.objectContaining({ code: "invalid", message: text });

/** In the middle of a minute, so that a slow machine does not leave it. */
const NOON = new Date("2026-11-20T12:00:05Z");
const setClock = (at: Date) => world.house.moveClock(at.getTime() - world.house.now().getTime());
// However a test ends, the next one begins at the true time.
afterEach(() => setClock(new Date()));

const askFor = async (email: string) => {
  await requestReset(world.visitor(), { email });
  await world.work();
};
const newestToken = async ({ email }: Person) => {
  const mails = await world.mailsTo(email);
  return tokenIn(
    mails.find(({ subject }) => subject.includes("Reset")),
    "reset-password",
  );
};
const reset = (token: string, newPassword = NEW_PASSWORD) => resetPassword(world.visitor(), { token, newPassword });
const resetMails = async (email: string) =>
  (await world.mailsTo(email)).filter(({ subject }) => subject.includes("Reset your"));

describe("asking for a link", () => {
  test("R-FPW-03 R-FPW-04 a known and an unknown address: the same answer, the same work, a mail to the known one alone", async () => {
    const person = await world.person();
    const before = world.house.sentEvents.length;
    const queries = vi.spyOn(world.house.database.db, "select");
    const ask = async (email: string) => (await requestReset(world.visitor(), { email })).message.replace(email, "…");
    const answers = [await ask(person.email), await ask(`no-${person.email}`)];
    expect(queries).not.toHaveBeenCalled();
    queries.mockRestore();
    expect(answers[0]).toBe("If an account exists with …, you will receive password reset instructions.");
    expect(answers[1]).toBe(answers[0]);
    const events = world.house.sentEvents.slice(before);
    expect(events.map(({ name }) => name)).toEqual(["identity/reset.requested", "identity/reset.requested"]);
    // The engine keeps what it is sent.
    expect(JSON.stringify(events)).not.toContain(person.email.split("@")[0]);
    await world.work();
    expect(await resetMails(person.email)).toHaveLength(1);
    expect(await resetMails(`no-${person.email}`)).toHaveLength(0);
  });

  test("R-FPW-04 in one minute one mail goes to an address, however it is written; a step that runs twice sends the same link", async () => {
    const person = await world.person();
    const ask = async (email: string) => {
      await requestReset({ ...world.visitor(), now: () => NOON }, { email });
      return world.house.sentEvents.at(-1)?.id;
    };
    const id = await ask(person.email);
    expect(await ask(` ${person.email.toUpperCase()}`)).toBe(id);
    await world.work();
    const mails = await resetMails(person.email);
    expect(mails[0]?.text).toContain("works once, for one hour");
    expect(new Set(mails.map((mail) => tokenIn(mail, "reset-password"))).size).toBe(1);
    const nextMinute = { ...world.visitor(), now: () => addMs(NOON, MINUTE_MS) };
    await requestReset(nextMinute, { email: person.email });
    expect(world.house.sentEvents.at(-1)?.id).not.toBe(id);
    await world.work();
    const links = (await resetMails(person.email)).map((mail) => tokenIn(mail, "reset-password"));
    expect(new Set(links).size).toBe(2);
  });

  test("R-SRV-09 a stranger fills nobody's inbox, and locks nobody out: the owner who lost every link gets another", async () => {
    const person = await world.person();
    for (let minute = 0; minute < RESET_LINKS_AT_ONCE + 2; minute++) {
      await setClock(addMs(NOON, minute * MINUTE_MS));
      await askFor(person.email);
    }
    expect(await resetMails(person.email)).toHaveLength(RESET_LINKS_AT_ONCE);
    const lost = await newestToken(person);
    const pauseEnds = addMs(NOON, (RESET_LINKS_AT_ONCE - 1) * MINUTE_MS + RESET_PAUSE_MS);
    // Well after the fifth mail went out, and with all five alive; then just after it, when the pause begins anew.
    for (const at of [MINUTE_MS, 2 * MINUTE_MS]) {
      await setClock(addMs(pauseEnds, at));
      await askFor(person.email);
      expect(await resetMails(person.email)).toHaveLength(RESET_LINKS_AT_ONCE + 1);
    }
    const token = await newestToken(person);
    expect(token).not.toBe(lost);
    expect(await reset(token)).toEqual({ message: ANSWERS.passwordReset });
    await setClock(addMs(pauseEnds, 3 * MINUTE_MS));
    await askFor(person.email);
    expect(await resetMails(person.email)).toHaveLength(RESET_LINKS_AT_ONCE + 2);
  });

  test("R-FPW-06 an engine that does not answer is said", async () => {
    const person = await world.person();
    world.house.failNextSend();
    await expect(requestReset(world.visitor(), { email: person.email })).rejects.toMatchObject({
      code: "provider_unavailable",
      message: TEXTS.resetFailedToSend,
    });
  });
});

describe("using the link", () => {
  test("R-RPW-09 R-API-21 single use, also for two at once; every login ends, and the owner is told", async () => {
    const person = await world.person();
    const before = await world.enter(person);
    await askFor(person.email);
    const token = await newestToken(person);
    const rows = await world.job().db.select().from(passwordResets).where(eq(passwordResets.userId, person.userId));
    expect([rows.length, JSON.stringify(rows).includes(token)]).toEqual([1, false]);
    const uses = await Promise.allSettled([reset(token), reset(token), reset(token)]);
    expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const use of uses) if (use.status === "rejected") expect(use.reason).toEqual(refused(TEXTS.resetFailed));
    const loginId = before.actor.kind === "user" ? before.actor.loginId : "";
    expect(await findSessionUser(world.visitor(), loginId)).toBeNull();
    await expect(logIn(world.visitor(), { email: person.email, password: PASSWORD })).rejects.toMatchObject({
      code: "wrong_login",
    });
    await world.enter(person, NEW_PASSWORD);
    await world.work();
    const told = (await world.mailsTo(person.email)).filter(({ subject }) => subject.includes("password was changed"));
    expect(told).toHaveLength(1);
  });

  test("R-RPW-09 a link lives an hour; an invented one costs no hashing", async () => {
    const person = await world.person();
    await askFor(person.email);
    const token = await newestToken(person);
    vi.mocked(argon2.hash).mockClear();
    await world.house.later(HOUR_MS, async () => {
      await expect(reset(token)).rejects.toEqual(refused(TEXTS.resetFailed));
    });
    for (const invented of ["", "x".repeat(43), `${token}x`, token.slice(1)]) {
      await expect(reset(invented)).rejects.toEqual(refused(TEXTS.resetFailed));
    }
    expect(argon2.hash).not.toHaveBeenCalled();
    const [link] = await world.job().db.select().from(passwordResets).where(eq(passwordResets.userId, person.userId));
    if (!link) throw new Error("There is no such link");
    expect(link.expiresAt.getTime() - link.createdAt.getTime()).toBe(HOUR_MS);
    await setClock(link.expiresAt);
    await expect(reset(token)).rejects.toEqual(refused(TEXTS.resetFailed));
    // Room for the hashing that comes before the use.
    await setClock(addMs(link.expiresAt, -MINUTE_MS));
    expect(await reset(token)).toEqual({ message: ANSWERS.passwordReset });
  });

  test("R-RPW-09 one used link ends the others of that user, and nobody else's", async () => {
    const [person, other] = [await world.person(), await world.person()];
    await askFor(person.email);
    const first = await newestToken(person);
    await askFor(other.email);
    await world.house.later(MINUTE_MS + 1_000, () => askFor(person.email));
    const second = await newestToken(person);
    expect(second).not.toBe(first);
    await reset(second);
    await expect(reset(first)).rejects.toEqual(refused(TEXTS.resetFailed));
    expect(await reset(await newestToken(other))).toEqual({ message: ANSWERS.passwordReset });
  });
});

describe("QUALITY §2 row 4: work does not tell who is registered", () => {
  test("a login hashes once, for a known address as for an unknown one", async () => {
    const person = await world.person();
    for (const email of [person.email, `no-${person.email}`, "not an address"]) {
      vi.mocked(argon2.verify).mockClear();
      vi.mocked(argon2.hash).mockClear();
      await expect(logIn(world.visitor(), { email, password: "a wrong one" })).rejects.toMatchObject({
        code: "wrong_login",
      });
      expect([email, vi.mocked(argon2.verify).mock.calls.length, vi.mocked(argon2.hash).mock.calls.length]).toEqual([
        email,
        1,
        0,
      ]);
      // At the same cost: the decoy says so itself.
      expect(vi.mocked(argon2.verify).mock.calls[0]?.[0]).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
    }
  });

  test("the decoy's password opens nothing, and no user has it", async () => {
    expect(await world.job().db.$count(users, eq(users.passwordHash, ""))).toBe(0);
  });
});
