import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailVerifications, logins, users } from "#db/schema/identity.ts";
import { inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { requestReset, resetPassword } from "#lib/features/identity/password-reset.ts";
import { hashPassword, replacePassword } from "#lib/features/identity/passwords.ts";
import { verifyEmail } from "#lib/features/identity/registration.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { closeUser } from "#lib/features/identity/users.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { withFreshLogin } from "#tests/support/context.ts";
import { until } from "#tests/support/poll.ts";
import { identitySetup, NEW_PASSWORD, type Person, tokenIn } from "./identity-harness.ts";

const setup = identitySetup();
const refused = (text: string) => expect.objectContaining({ code: "invalid", message: text });
const reset = (token: string) => resetPassword(setup.visitor(), { token, newPassword: NEW_PASSWORD });

const askForLink = async ({ email }: Person): Promise<string> => {
  await requestReset(setup.visitor(), { email });
  await setup.work();
  return tokenIn((await setup.emailsTo(email))[0], "reset-password");
};

test("a flood of sign-ins is refused at once instead of waiting, and does not keep others out", async () => {
  const person = await setup.person();
  const flood = Array.from({ length: 300 }, (_, n) =>
    logIn(setup.visitor(), { email: `nobody${n}@example.com`, password: "not the password" }),
  );
  const codes = (await Promise.allSettled(flood)).map((result) =>
    result.status === "rejected" ? result.reason.code : "in",
  );
  const count = (code: string) => codes.filter((one) => one === code).length;
  expect(count("busy") + count("wrong_login")).toBe(300);
  // Three at once and 32 waiting for each of them, at most.
  expect([count("wrong_login") > 0, count("busy") >= 300 - 99]).toEqual([true, true]);
  const refusals = (await Promise.allSettled(flood)).flatMap((result) =>
    result.status === "rejected" && result.reason.code === "busy" ? [result.reason] : [],
  );
  expect(refusals[0]).toMatchObject({ status: 503, retry: true, retryAfterSeconds: 5 });
  await setup.enter(person);
});

describe("concurrent writes", () => {
  /** Locks a user's row until `count` transactions wait for it, releases it, and returns their results. */
  const collide = async (userId: UserId, count: number, begin: () => Promise<unknown>[]) => {
    const { db } = setup.job();
    let begun: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    await db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
      begun = Promise.allSettled(begin());
      const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await db.execute(waiting)).length >= count, {
        what: "all transactions to wait for the row",
      });
    });
    return begun;
  };

  test("R-RPW-09 of two links used concurrently one works and the other is invalid", async () => {
    const person = await setup.person();
    const first = await askForLink(person);
    const second = await setup.harness.later(MINUTE_MS + 1_000, () => askForLink(person));
    expect(second).not.toBe(first);
    const uses = await collide(person.userId, 2, () => [reset(first), reset(second)]);
    expect(uses.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    for (const use of uses) if (use.status === "rejected") expect(use.reason).toEqual(refused(TEXTS.resetFailed));
  });

  test("A-10 verifying an email while deleting the account does not fail", async () => {
    const person = await setup.person();
    const token = "t".repeat(43);
    const { db, now } = setup.job();
    const [createdAt, expiresAt] = [now(), new Date(now().getTime() + HOUR_MS)];
    const emailKey = person.email.toLowerCase();
    const row = { tokenHash: sha256(token), userId: person.userId, emailKey, createdAt, expiresAt };
    await db.insert(emailVerifications).values(row);
    const leaving = await withFreshLogin(person.ctx);
    const ends = await collide(person.userId, 2, () => [
      inTransaction(leaving, (tx) => closeUser(tx, person.userId)),
      verifyEmail(setup.visitor(), { token }),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await db.$count(emailVerifications, eq(emailVerifications.userId, person.userId))).toBe(0);
  });

  test("R-RPW-09 a concurrent login with the old password does not outlive the reset", async () => {
    const person = await setup.person();
    const passwordHash = await hashPassword(NEW_PASSWORD);
    const { db } = setup.job();
    let entering: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      const change = { userId: person.userId, passwordHash, reason: "password_reset" as const };
      await replacePassword({ ...setup.job(), db: tx }, change);
      // The login verifies the old hash and then waits for the row.
      entering = setup.enter(person).catch((error: { code: string }) => error.code);
      const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await db.execute(waiting)).length > 0, { what: "the login to wait for the row" });
    });
    expect(await entering).toBe("wrong_login");
    expect(await db.$count(logins, eq(logins.userId, person.userId))).toBe(0);
  });
});
