import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { authChallenges, authenticators, logins, recoveryCodes, securityEvents } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { requireConfirmation } from "#lib/features/identity/confirmation.ts";
import { CHALLENGE_ATTEMPTS_MAX, CONFIRMATION_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { browserProof } from "#lib/features/identity/device.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { changePassword } from "#lib/features/identity/passwords.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { FREE_FAILURES } from "#lib/features/limits/constants.ts";
import {
  createRecoveryCodes,
  disableAuthenticator,
  enableAuthenticator,
  readTwoStep,
  setUpAuthenticator,
} from "#lib/features/sign-in/authenticator.ts";
import { RECOVERY_CODES } from "#lib/features/sign-in/constants.ts";
import { plainCode } from "#lib/features/sign-in/policy.ts";
import { confirmWithCode, verifySecondStep } from "#lib/features/sign-in/second-step.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { appCodeAt } from "#tests/support/app-codes.ts";
import { identitySetup, NEW_PASSWORD, PASSWORD, type Person, tokenIn } from "./identity-harness.ts";

const setup = identitySetup();
const STEP_MS = 30 * SECOND_MS;

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

interface Guarded extends Person {
  /** Signed in before codes were on. */
  inside: FullCtx;
  secret: string;
  recovery: string[];
}

const codeNow = ({ secret }: Pick<Guarded, "secret">, ms = 0): string =>
  appCodeAt(secret, new Date(setup.harness.now().getTime() + ms));

/** A user with codes. Their first code is spent, so the clock moves to the next one. */
const guarded = async (): Promise<Guarded> => {
  const person = await setup.confirmedPerson();
  const inside = await setup.enter(person);
  const { secret } = await setUpAuthenticator(inside);
  const { recoveryCodes: codes } = await enableAuthenticator(inside, { code: codeNow({ secret }) });
  await setup.harness.moveClock(2 * STEP_MS);
  return { ...person, inside, secret, recovery: codes.map(plainCode) };
};

/** The first step. Returns the challenge. */
const begin = async (
  { email }: Pick<Person, "email">,
  password = PASSWORD,
  ctx: FullCtx = setup.visitor(),
): Promise<string> => {
  const error: unknown = await logIn(ctx, { email, password }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "second_step_required" });
  return String((error as AppError).more?.challenge);
};

const verify = (challenge: string, code: string) => verifySecondStep(setup.visitor(), { challenge, code });
const eventsOf = async ({ userId }: Person): Promise<string[]> => {
  const rows = await setup.harness.database.db
    .select()
    .from(securityEvents)
    .where(eq(securityEvents.userId, userId))
    .orderBy(securityEvents.createdAt, securityEvents.id);
  return rows.map(({ kind, detail }) => (detail ? `${kind}: ${detail}` : kind));
};
const loginsOf = async ({ userId }: Person) =>
  (await setup.harness.database.db.select().from(logins).where(eq(logins.userId, userId))).length;

describe("setting up an authenticator app", () => {
  test("needs a recent confirmation, counts only after a right code, and stores neither secret nor codes readably", async () => {
    const person = await setup.confirmedPerson();
    const inside = await setup.enter(person);
    await setup.harness.later(CONFIRMATION_LIFETIME_MS + SECOND_MS, async () => {
      expect(await codeOf(setUpAuthenticator(inside))).toBe("confirm_identity");
      expect(await codeOf(enableAuthenticator(inside, { code: "123456" }))).toBe("confirm_identity");
    });
    expect(await codeOf(enableAuthenticator(inside, { code: "123456" }))).toBe("wrong_state");
    const started = await setUpAuthenticator(inside);
    expect(started.uri).toMatch(/^otpauth:\/\/totp\/Evertack:/);
    expect(started.secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    expect(started.qr.path.length).toBeGreaterThan(1_000);
    expect(await codeOf(enableAuthenticator(inside, { code: codeNow(started, HOUR_MS) }))).toBe("invalid");
    // Until then, the password alone opens a login.
    expect((await setup.enter(person)).actor.kind).toBe("user");
    const { recoveryCodes: codes } = await enableAuthenticator(inside, { code: codeNow(started) });
    expect([codes.length, new Set(codes).size]).toEqual([RECOVERY_CODES, RECOVERY_CODES]);
    for (const code of codes) expect(code).toMatch(/^\d{4} \d{4} \d{4}$/);
    expect(await readTwoStep(inside)).toEqual({ onSince: expect.any(Date), recoveryCodesLeft: RECOVERY_CODES });
    expect(await codeOf(setUpAuthenticator(inside))).toBe("wrong_state");

    const { db } = setup.harness.database;
    const [row] = await db.select().from(authenticators).where(eq(authenticators.userId, person.userId));
    const hashes = await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, person.userId));
    const stored = JSON.stringify([row, hashes]);
    for (const secret of [started.secret.replaceAll(" ", ""), ...codes.map(plainCode)]) {
      expect(stored).not.toContain(secret);
    }
    expect(await eventsOf(person)).toEqual(["signed_in: password", "signed_in: password", "codes_enabled"]);
  });

  test("turning it off and new recovery codes need a confirmation too; old codes then stop working", async () => {
    const person = await guarded();
    const { inside } = person;
    await setup.harness.later(CONFIRMATION_LIFETIME_MS + SECOND_MS, async () => {
      expect(await codeOf(disableAuthenticator(inside))).toBe("confirm_identity");
      expect(await codeOf(createRecoveryCodes(inside))).toBe("confirm_identity");
    });
    const { recoveryCodes: fresh } = await createRecoveryCodes(inside);
    const challenge = await begin(person);
    expect(await codeOf(verify(challenge, person.recovery[0] ?? ""))).toBe("invalid");
    expect(await codeOf(verify(challenge, plainCode(fresh[0] ?? "")))).toBe("ok");
    await disableAuthenticator(inside);
    expect(await readTwoStep(inside)).toEqual({ onSince: null, recoveryCodesLeft: 0 });
    expect((await logIn(setup.visitor(), { email: person.email, password: PASSWORD })).userId).toBe(person.userId);
    expect(await codeOf(disableAuthenticator(inside))).toBe("wrong_state");
    expect(await codeOf(createRecoveryCodes(inside))).toBe("wrong_state");
  });
});

describe("signing in with a second step", () => {
  test("the right password opens no login; a code does, from one step early to one step late", async () => {
    const person = await guarded();
    expect(await loginsOf(person)).toBe(1);
    for (const offset of [-STEP_MS, 0, STEP_MS]) {
      const challenge = await begin(person);
      expect(await codeOf(verify(challenge, codeNow(person, offset)))).toBe("ok");
      // The latest code used is ahead of the clock by now.
      await setup.harness.moveClock(3 * STEP_MS);
    }
    const challenge = await begin(person);
    expect(await codeOf(verify(challenge, codeNow(person, 3 * STEP_MS)))).toBe("invalid");
    expect(await codeOf(verify(challenge, codeNow(person, -3 * STEP_MS)))).toBe("invalid");
    expect(await loginsOf(person)).toBe(4);
    const events = await eventsOf(person);
    expect(events.filter((event) => event === "signed_in: password_code")).toHaveLength(3);
    expect(events.filter((event) => event === "sign_in_code_failed")).toHaveLength(2);
  });

  test("a wrong password says the same with and without codes", async () => {
    const person = await guarded();
    expect(await codeOf(logIn(setup.visitor(), { email: person.email, password: "wrong" }))).toBe("wrong_login");
  });

  test("a code works once: neither again, nor an older one, nor twice at the same time", async () => {
    const person = await guarded();
    const code = codeNow(person);
    expect(await codeOf(verify(await begin(person), code))).toBe("ok");
    const again = await begin(person);
    expect(await codeOf(verify(again, code))).toBe("invalid");
    expect(await codeOf(verify(again, codeNow(person, -STEP_MS)))).toBe("invalid");
    await setup.harness.moveClock(2 * STEP_MS);
    const challenges = [await begin(person), await begin(person), await begin(person)];
    const next = codeNow(person);
    const outcomes = await Promise.all(challenges.map((challenge) => codeOf(verify(challenge, next))));
    expect(outcomes.toSorted()).toEqual(["invalid", "invalid", "ok"]);
  });

  test("a recovery code works once, also at the same time, and is counted", async () => {
    const person = await guarded();
    const [first = "", second = ""] = person.recovery;
    expect(await codeOf(verify(await begin(person), first))).toBe("ok");
    expect(await codeOf(verify(await begin(person), first))).toBe("invalid");
    const challenges = [await begin(person), await begin(person)];
    const outcomes = await Promise.all(challenges.map((challenge) => codeOf(verify(challenge, second))));
    expect(outcomes.toSorted()).toEqual(["invalid", "ok"]);
    expect(await readTwoStep(person.inside)).toMatchObject({ recoveryCodesLeft: RECOVERY_CODES - 2 });
    const events = await eventsOf(person);
    expect(events).toContain("recovery_code_used: 9 left");
    expect(events).toContain("signed_in: password_recovery_code");
  });

  test("another user's codes are wrong", async () => {
    const [person, other] = [await guarded(), await guarded()];
    const challenge = await begin(person);
    expect(await codeOf(verify(challenge, codeNow(other)))).toBe("invalid");
    expect(await codeOf(verify(challenge, other.recovery[0] ?? ""))).toBe("invalid");
  });

  test("a challenge ends after its use, after five wrong codes, after ten minutes, and with a new password", async () => {
    const person = await guarded();
    const used = await begin(person);
    expect(await codeOf(verify(used, codeNow(person)))).toBe("ok");
    expect(await codeOf(verify(used, person.recovery[0] ?? ""))).toBe("unauthenticated");
    const tried = await begin(person);
    for (let n = 0; n < CHALLENGE_ATTEMPTS_MAX; n += 1) expect(await codeOf(verify(tried, "000000"))).toBe("invalid");
    expect(await codeOf(verify(tried, person.recovery[1] ?? ""))).toBe("unauthenticated");
    const old = await begin(person);
    await setup.harness.later(11 * MINUTE_MS, async () => {
      expect(await codeOf(verify(old, person.recovery[2] ?? ""))).toBe("unauthenticated");
    });
    expect(await codeOf(verify("x".repeat(43), person.recovery[2] ?? ""))).toBe("unauthenticated");
    const before = await begin(person);
    await changePassword(person.inside, { newPassword: NEW_PASSWORD });
    expect(await codeOf(verify(before, person.recovery[3] ?? ""))).toBe("unauthenticated");
    expect(await codeOf(verify(await begin(person, NEW_PASSWORD), person.recovery[3] ?? ""))).toBe("ok");
  });

  test("new challenges don't give more guesses: wrong codes make everyone with the password wait", async () => {
    const person = await guarded();
    // A known browser takes no turn for its password, so only the codes are limited.
    const user = await findUser(person.inside, person.userId);
    const knownBrowser = user && browserProof(person.inside, user);
    const known: FullCtx = { ...setup.visitor(), actor: { kind: "visitor", address: "127.0.0.1", knownBrowser } };
    let outcome = "";
    let guesses = 0;
    for (; outcome !== "too_many" && guesses < 3 * FREE_FAILURES; guesses += 1) {
      outcome = await codeOf(verify(await begin(person, PASSWORD, known), "000000"));
    }
    // The first waits are seconds, so a slow machine may get a few more guesses before one is refused.
    expect([outcome, guesses > FREE_FAILURES, guesses < 2 * FREE_FAILURES]).toEqual(["too_many", true, true]);
    await setup.harness.moveClock(20 * MINUTE_MS);
    expect(await codeOf(verify(await begin(person), codeNow(person)))).toBe("ok");
    // The right code forgives: the next mistakes are free again.
    await setup.harness.moveClock(2 * STEP_MS);
    const challenge = await begin(person);
    expect(await codeOf(verify(challenge, "000000"))).toBe("invalid");
    expect(await codeOf(verify(challenge, codeNow(person)))).toBe("ok");
  });

  test("a challenge of another kind is no second step", async () => {
    const person = await guarded();
    const token = await begin(person);
    await setup.harness.database.db.update(authChallenges).set({ kind: "google" });
    expect(await codeOf(verify(token, codeNow(person)))).toBe("unauthenticated");
  });
});

test("a password reset by email keeps the second step", async () => {
  const person = await guarded();
  await requestReset(setup.visitor(), { email: person.email });
  await setup.work();
  const token = tokenIn((await setup.emailsTo(person.email))[0], "reset-password");
  await resetPassword(setup.visitor(), { token, newPassword: NEW_PASSWORD });
  const challenge = await begin(person, NEW_PASSWORD);
  expect(await codeOf(verify(challenge, codeNow(person)))).toBe("ok");
});

test("a code confirms an open login; a wrong one does not, and waits grow for it as well", async () => {
  const person = await guarded();
  await setup.harness.moveClock(CONFIRMATION_LIFETIME_MS);
  const { inside } = person;
  expect(await codeOf(requireConfirmation(inside))).toBe("confirm_identity");
  expect(await codeOf(confirmWithCode(inside, { code: "000000" }))).toBe("invalid");
  expect(await codeOf(requireConfirmation(inside))).toBe("confirm_identity");
  const code = codeNow(person);
  expect(await codeOf(confirmWithCode(inside, { code }))).toBe("ok");
  expect(await codeOf(requireConfirmation(inside))).toBe("ok");
  // A code that confirmed something can't sign in anymore.
  expect(await codeOf(verify(await begin(person), code))).toBe("invalid");
  let outcome = "";
  for (let n = 0; n < FREE_FAILURES; n += 1) outcome = await codeOf(confirmWithCode(inside, { code: "000000" }));
  expect(outcome).toBe("invalid");
  expect(await codeOf(confirmWithCode(inside, { code: "000000" }))).toBe("too_many");
});
