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
import { until } from "#tests/support/poll.ts";
import { identityWorld, NEW_PASSWORD, type Person, tokenIn } from "./identity-house.ts";

const world = identityWorld();
const refused = (text: string) => expect.objectContaining({ code: "invalid", message: text });
const reset = (token: string) => resetPassword(world.visitor(), { token, newPassword: NEW_PASSWORD });

const askForLink = async ({ email }: Person): Promise<string> => {
  await requestReset(world.visitor(), { email });
  await world.work();
  return tokenIn((await world.mailsTo(email))[0], "reset-password");
};

describe("rows that several want at once", () => {
  /** Holds a user's row until `count` others wait for something, then lets go and gives what became of them. */
  const collide = async (userId: UserId, count: number, begin: () => Promise<unknown>[]) => {
    const { db } = world.job();
    let begun: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    await db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
      begun = Promise.allSettled(begin());
      const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await db.execute(waiting)).length >= count, { what: "everybody to wait for the row" });
    });
    return begun;
  };

  test("R-RPW-09 of two different links of one user that are used at once one works, and the other says it is over", async () => {
    const person = await world.person();
    const first = await askForLink(person);
    const second = await world.house.later(MINUTE_MS + 1_000, () => askForLink(person));
    expect(second).not.toBe(first);
    const uses = await collide(person.userId, 2, () => [reset(first), reset(second)]);
    expect(uses.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    for (const use of uses) if (use.status === "rejected") expect(use.reason).toEqual(refused(TEXTS.resetFailed));
  });

  test("A-10 an address that is confirmed while its account is deleted: neither fails", async () => {
    const person = await world.person();
    const token = "t".repeat(43);
    const { db, now } = world.job();
    const [createdAt, expiresAt] = [now(), new Date(now().getTime() + HOUR_MS)];
    const emailKey = person.email.toLowerCase();
    const row = { tokenHash: sha256(token), userId: person.userId, emailKey, createdAt, expiresAt };
    await db.insert(emailVerifications).values(row);
    const [user] = await db.select().from(users).where(eq(users.id, person.userId));
    const passwordHash = user?.passwordHash ?? "";
    const ends = await collide(person.userId, 2, () => [
      inTransaction(world.job(), (tx) => closeUser(tx, { userId: person.userId, passwordHash })),
      verifyEmail(world.visitor(), { token }),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await db.$count(emailVerifications, eq(emailVerifications.userId, person.userId))).toBe(0);
  });

  test("R-RPW-09 a login that is opened with the old password just then does not outlive the reset", async () => {
    const person = await world.person();
    const passwordHash = await hashPassword(NEW_PASSWORD);
    const { db } = world.job();
    let entering: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await replacePassword({ ...world.job(), db: tx }, { userId: person.userId, passwordHash });
      // It finds the old hash, which fits, and then waits for the row.
      entering = world.enter(person).catch((error: { code: string }) => error.code);
      const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await db.execute(waiting)).length > 0, { what: "the login to wait for the row" });
    });
    expect(await entering).toBe("wrong_login");
    expect(await db.$count(logins, eq(logins.userId, person.userId))).toBe(0);
  });
});
