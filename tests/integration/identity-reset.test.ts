import argon2 from "@node-rs/argon2";
import { and, eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { apiKeys } from "#db/schema/api-keys.ts";
import { externalLogins, passkeys, passwordResets, securityEvents, users } from "#db/schema/identity.ts";
import { webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { RESET_LINKS_MAX, RESET_PAUSE_MS } from "#lib/features/identity/constants.ts";
import { GUESSABLE_TEXTS } from "#lib/features/identity/guessable.ts";
import { MESSAGES } from "#lib/features/identity/messages.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { insertApiKey } from "#tests/support/fixtures/users.ts";
import { identitySetup, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-harness.ts";

// Spies on the real hashing functions. Modules are reset because test files share a process
// and another file may have loaded them without the spy.
vi.hoisted(() => vi.resetModules());
vi.mock("@node-rs/argon2", { spy: true });

const setup = identitySetup();
const refused = (text: string) => expect.objectContaining({ code: "invalid", message: text });

/** Early in a minute, so that a slow test stays within it. */
const NOON = new Date("2026-11-20T12:00:05Z");
const setClock = (at: Date) => setup.harness.moveClock(at.getTime() - setup.harness.now().getTime());
// Reset the clock after each test.
afterEach(() => setClock(new Date()));

const askFor = async (email: string) => {
  await requestReset(setup.visitor(), { email });
  await setup.work();
};
const newestToken = async ({ email }: Person) => {
  const emails = await setup.emailsTo(email);
  return tokenIn(
    emails.find(({ subject }) => subject.includes("Reset")),
    "reset-password",
  );
};
const reset = (token: string, newPassword = NEW_PASSWORD) => resetPassword(setup.visitor(), { token, newPassword });
const resetEmails = async (email: string) =>
  (await setup.emailsTo(email)).filter(({ subject }) => subject.includes("Reset your"));

describe("requesting a link", () => {
  test("R-FPW-03 R-FPW-04 known and unknown addresses get the same response and work, but only the known one an email", async () => {
    const person = await setup.person();
    const before = setup.harness.sentEvents.length;
    const queries = vi.spyOn(setup.harness.database.db, "select");
    const ask = async (email: string) => (await requestReset(setup.visitor(), { email })).message.replace(email, "…");
    const answers = [await ask(person.email), await ask(`no-${person.email}`)];
    expect(queries).not.toHaveBeenCalled();
    queries.mockRestore();
    expect(answers[0]).toBe("If an account exists with …, you will receive password reset instructions.");
    expect(answers[1]).toBe(answers[0]);
    const events = setup.harness.sentEvents.slice(before);
    expect(events.map(({ name }) => name)).toEqual(["identity/reset.requested", "identity/reset.requested"]);
    // The engine stores event data, so it must not contain the address.
    expect(JSON.stringify(events)).not.toContain(person.email.split("@")[0]);
    await setup.work();
    expect(await resetEmails(person.email)).toHaveLength(1);
    expect(await resetEmails(`no-${person.email}`)).toHaveLength(0);
  });

  test("R-FPW-04 sends one email per address and minute; a repeated step sends the same link", async () => {
    const person = await setup.person();
    const ask = async (email: string) => {
      await requestReset({ ...setup.visitor(), now: () => NOON }, { email });
      return setup.harness.sentEvents.at(-1)?.id;
    };
    const id = await ask(person.email);
    expect(await ask(` ${person.email.toUpperCase()}`)).toBe(id);
    await setup.work();
    const emails = await resetEmails(person.email);
    expect(emails[0]?.text).toContain("works once, expires in one hour");
    expect(new Set(emails.map((email) => tokenIn(email, "reset-password"))).size).toBe(1);
    const nextMinute = { ...setup.visitor(), now: () => addMs(NOON, MINUTE_MS) };
    await requestReset(nextMinute, { email: person.email });
    expect(setup.harness.sentEvents.at(-1)?.id).not.toBe(id);
    await setup.work();
    const links = (await resetEmails(person.email)).map((email) => tokenIn(email, "reset-password"));
    expect(new Set(links).size).toBe(2);
  });

  test("R-SRV-09 limits emails per account, but the owner still gets a new link after a pause", async () => {
    const person = await setup.person();
    for (let minute = 0; minute < RESET_LINKS_MAX + 2; minute++) {
      await setClock(addMs(NOON, minute * MINUTE_MS));
      await askFor(person.email);
    }
    expect(await resetEmails(person.email)).toHaveLength(RESET_LINKS_MAX);
    const blocked = await newestToken(person);
    const pauseEnds = addMs(NOON, (RESET_LINKS_MAX - 1) * MINUTE_MS + RESET_PAUSE_MS);
    // Well after the fifth email with all five links valid, then just after it, when the pause restarts.
    for (const at of [MINUTE_MS, 2 * MINUTE_MS]) {
      await setClock(addMs(pauseEnds, at));
      await askFor(person.email);
      expect(await resetEmails(person.email)).toHaveLength(RESET_LINKS_MAX + 1);
    }
    const token = await newestToken(person);
    expect(token).not.toBe(blocked);
    expect(await reset(token)).toMatchObject({ message: MESSAGES.passwordReset });
    await setClock(addMs(pauseEnds, 3 * MINUTE_MS));
    await askFor(person.email);
    expect(await resetEmails(person.email)).toHaveLength(RESET_LINKS_MAX + 2);
  });

  test("R-FPW-06 an unavailable engine is reported", async () => {
    const person = await setup.person();
    setup.harness.failNextSend();
    await expect(requestReset(setup.visitor(), { email: person.email })).rejects.toMatchObject({
      code: "provider_unavailable",
      message: TEXTS.resetFailedToSend,
    });
  });
});

describe("using the link", () => {
  test("R-RPW-09 R-API-21 is single use, also concurrently, ends every login and notifies the owner", async () => {
    const person = await setup.person();
    const before = await setup.enter(person);
    await askFor(person.email);
    const token = await newestToken(person);
    const rows = await setup.job().db.select().from(passwordResets).where(eq(passwordResets.userId, person.userId));
    expect([rows.length, JSON.stringify(rows).includes(token)]).toEqual([1, false]);
    const uses = await Promise.allSettled([reset(token), reset(token), reset(token)]);
    expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const use of uses) if (use.status === "rejected") expect(use.reason).toEqual(refused(TEXTS.resetFailed));
    const loginId = before.actor.kind === "user" ? before.actor.loginId : "";
    expect(await findSessionUser(setup.visitor(), loginId)).toBeNull();
    await expect(logIn(setup.visitor(), { email: person.email, password: PASSWORD })).rejects.toMatchObject({
      code: "wrong_login",
    });
    await setup.enter(person, NEW_PASSWORD);
    await setup.work();
    const notices = (await setup.emailsTo(person.email)).filter(({ subject }) =>
      subject.includes("password was changed"),
    );
    expect(notices).toHaveLength(1);
  });

  const insertAccess = async ({ userId, email }: Person, createdAt: Date) => {
    const { db, newId, sealer } = setup.job();
    const when = createdAt.toISOString();
    const passkey = { credentialId: `${userId}${when}`, publicKey: "a-public-key", counter: 0, name: when };
    await db.insert(passkeys).values({ id: newId("passkey"), userId, ...passkey, createdAt });
    await insertApiKey(setup.job(), { id: userId }, { createdAt });
    const webhook = { url: "https://receiver.example/hook", events: [], sealedSecret: sealer.seal("secret") };
    const [endpointId, messageId] = [newId("webhookEndpoint"), newId("webhookMessage")];
    await db.insert(webhookEndpoints).values({ id: endpointId, userId, ...webhook, createdAt });
    const message = { id: messageId, userId, type: "pin.failed", cause: messageId, body: "{}", createdAt };
    await db.insert(webhookMessages).values(message);
    const delivery = { id: newId("webhookDelivery"), endpointId, messageId, subject: messageId };
    await db.insert(webhookDeliveries).values({ ...delivery, userId, createdAt, dueAt: addMs(createdAt, DAY_MS) });
    const google = { provider: "google", subject: userId, userId, email } as const;
    await db
      .insert(externalLogins)
      .values({ ...google, createdAt })
      .onConflictDoNothing();
  };
  const accessOf = async ({ userId }: Person) => {
    const { db } = setup.job();
    const keys = await db
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)));
    const webhooks = await db
      .select()
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.disabledAt)));
    const pending = await db
      .select()
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.userId, userId), eq(webhookDeliveries.state, "pending")));
    const rows = {
      passkeys: await db.select().from(passkeys).where(eq(passkeys.userId, userId)),
      google: await db.select().from(externalLogins).where(eq(externalLogins.userId, userId)),
      ...{ keys, webhooks, pending },
    };
    return Object.values(rows).map((found) => found.map(({ createdAt }) => createdAt));
  };
  const changedText = async ({ email }: Person) => {
    await setup.work();
    return (await setup.emailsTo(email)).find(({ subject }) => subject.includes("password was changed"))?.text;
  };

  test("access from before the current address was confirmed ends, and the email says so", async () => {
    const person = await setup.person();
    const [before, confirmed, after] = [-20, -10, 0].map((minutes) =>
      addMs(setup.harness.now(), minutes * MINUTE_MS),
    ) as [Date, Date, Date];
    const { db } = setup.job();
    await db.update(users).set({ emailVerifiedAt: confirmed }).where(eq(users.id, person.userId));
    await insertAccess(person, before);
    await insertAccess(person, after);
    await askFor(person.email);
    await reset(await newestToken(person));
    expect(await accessOf(person)).toEqual([[after], [], [after], [after], [after]]);
    const events = await db.select().from(securityEvents).where(eq(securityEvents.userId, person.userId));
    const kinds = ["passkey_removed", "google_unlinked", "api_key_revoked", "webhook_changed"];
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
    expect(await changedText(person)).toContain("from before you confirmed this email address no longer work");
  });

  test("access from after the confirmation stays; without one, everything ends", async () => {
    const [owner, unconfirmed] = [await setup.person(), await setup.person()];
    const [confirmed, at] = [addMs(setup.harness.now(), -MINUTE_MS), setup.harness.now()];
    const { db } = setup.job();
    await db.update(users).set({ emailVerifiedAt: confirmed }).where(eq(users.id, owner.userId));
    for (const person of [owner, unconfirmed]) {
      await insertAccess(person, at);
      await askFor(person.email);
      await reset(await newestToken(person));
    }
    expect(await accessOf(owner)).toEqual([[at], [at], [at], [at], [at]]);
    expect(await changedText(owner)).toContain("Your passkeys and Google sign-in still work");
    expect(await accessOf(unconfirmed)).toEqual([[], [], [], [], []]);
  });

  test("a guessable password is refused, and the link stays usable", async () => {
    const person = await setup.person();
    await askFor(person.email);
    const token = await newestToken(person);
    const [name = ""] = person.email.split("@");
    for (const [password, text] of [
      ["Sunshine2026!", GUESSABLE_TEXTS.common],
      [`${name}A1!`, GUESSABLE_TEXTS.personal("Evertack")],
    ] as const) {
      const problem = { code: "invalid", message: text, fields: { new_password: [text] } };
      await expect(reset(token, password)).rejects.toMatchObject(problem);
    }
    await setup.enter(person);
    expect(await reset(token)).toMatchObject({ message: MESSAGES.passwordReset });
  });

  test("R-RPW-09 a link is valid for an hour; an invented one causes no hashing", async () => {
    const person = await setup.person();
    await askFor(person.email);
    const token = await newestToken(person);
    vi.mocked(argon2.hash).mockClear();
    await setup.harness.later(HOUR_MS, async () => {
      await expect(reset(token)).rejects.toEqual(refused(TEXTS.resetFailed));
    });
    for (const invented of ["", "x".repeat(43), `${token}x`, token.slice(1)]) {
      await expect(reset(invented)).rejects.toEqual(refused(TEXTS.resetFailed));
    }
    expect(argon2.hash).not.toHaveBeenCalled();
    const [link] = await setup.job().db.select().from(passwordResets).where(eq(passwordResets.userId, person.userId));
    if (!link) throw new Error("There is no such link");
    expect(link.expiresAt.getTime() - link.createdAt.getTime()).toBe(HOUR_MS);
    await setClock(link.expiresAt);
    await expect(reset(token)).rejects.toEqual(refused(TEXTS.resetFailed));
    // The password is hashed before the link is checked, which takes some time.
    await setClock(addMs(link.expiresAt, -MINUTE_MS));
    expect(await reset(token)).toMatchObject({ message: MESSAGES.passwordReset });
  });

  test("R-RPW-09 using a link invalidates that user's other links only", async () => {
    const [person, other] = [await setup.person(), await setup.person()];
    await askFor(person.email);
    const first = await newestToken(person);
    await askFor(other.email);
    await setup.harness.later(MINUTE_MS + 1_000, () => askFor(person.email));
    const second = await newestToken(person);
    expect(second).not.toBe(first);
    await reset(second);
    await expect(reset(first)).rejects.toEqual(refused(TEXTS.resetFailed));
    expect(await reset(await newestToken(other))).toMatchObject({ message: MESSAGES.passwordReset });
  });
});

describe("timing does not reveal who is registered", () => {
  test("a login hashes once, for a known address as for an unknown one", async () => {
    const person = await setup.person();
    for (const email of [person.email, `no-${person.email}`, "not an address"]) {
      vi.mocked(argon2.verify).mockClear();
      vi.mocked(argon2.hash).mockClear();
      await expect(logIn(setup.visitor(), { email, password: "a wrong one" })).rejects.toMatchObject({
        code: "wrong_login",
      });
      expect([email, vi.mocked(argon2.verify).mock.calls.length, vi.mocked(argon2.hash).mock.calls.length]).toEqual([
        email,
        1,
        0,
      ]);
      // The decoy hash must have the same cost parameters as real hashes.
      expect(vi.mocked(argon2.verify).mock.calls[0]?.[0]).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
    }
  });

  test("the decoy hash never matches", async () => {
    expect(await setup.job().db.$count(users, eq(users.passwordHash, ""))).toBe(0);
  });
});
