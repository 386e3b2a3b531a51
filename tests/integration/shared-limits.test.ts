import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { passwordResets, users } from "#db/schema/identity.ts";
import { rateLimits } from "#db/schema/limits.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { resetPassword } from "#lib/features/identity/password-reset.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { FREE_FAILURES } from "#lib/features/limits/constants.ts";
import { countShared } from "#lib/features/limits/shared-counts.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { LIMITS, limitCall } from "#lib/server/rate-limit.ts";
import { contextOf, createTestHarness, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { freezeDatabaseClock } from "#tests/support/database-clock.ts";

const database = databaseForFile();
const storageDir = mkdtempSync(join(tmpdir(), "limits-"));
let one: TestHarness;
let two: TestHarness;

beforeAll(() => {
  // Two instances, each with its own pool.
  [one, two] = [0, 1].map(() => createTestHarness({ databaseUrl: database().url, storageDir })) as [
    TestHarness,
    TestHarness,
  ];
});
afterAll(() => Promise.all([one.close(), two.close()]));
beforeEach(async () => {
  await one.database.db.delete(rateLimits);
});

const visitor = (harness: TestHarness, address = "203.0.113.1", knownBrowser: string | null = null) =>
  contextOf(harness, { kind: "visitor", address, knownBrowser });

let people = 0;
const PASSWORD = "correct horse 1";
const person = async () => {
  people += 1;
  const email = `limited${people}@example.com`;
  const names = { firstName: "Ada", lastName: "Moss", username: `limited${people}` };
  await registerUser(visitor(one), { ...names, email, password: PASSWORD });
  return email;
};

const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "in",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );

const move = async (ms: number) => {
  await one.moveClock(ms);
  two.skewClock(ms);
};

describe("R-SRV-09 counts that all processes share", () => {
  test("concurrent calls of two instances get different numbers", async () => {
    const calls = Array.from({ length: 40 }, (_, n) =>
      countShared(visitor(n % 2 === 0 ? one : two), { name: "test", subject: "someone", windowMs: MINUTE_MS }),
    );
    const numbers = (await Promise.all(calls)).map((count) => count.calls).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  test("a window ends at its time and then starts over", async () => {
    const count = () => countShared(visitor(one), { name: "test", subject: "patient", windowMs: MINUTE_MS });
    expect(await count()).toMatchObject({ calls: 1 });
    await move(MINUTE_MS - 5 * SECOND_MS);
    const late = await count();
    expect([late.calls, Math.round(late.endsInMs / SECOND_MS)]).toEqual([2, 5]);
    await move(6 * SECOND_MS);
    expect(await count()).toMatchObject({ calls: 1 });
  });

  test("two instances share one allowance, and each keeps refusing without the database", async () => {
    const address = "203.0.113.77";
    const call = (harness: TestHarness) => outcomeOf(limitCall(visitor(harness), "resend", address, 1));
    // Both run in this process, whose own count would refuse first: a second subject stands for the other process.
    const other = `${address} elsewhere`;
    for (let n = 0; n < LIMITS.resend.calls; n += 1) {
      await countShared(visitor(two), { name: "resend", subject: address, windowMs: LIMITS.resend.windowMs });
    }
    expect(await call(one)).toBe("too_many");
    await one.database.db.delete(rateLimits);
    expect(await call(one)).toBe("too_many");
    expect(await outcomeOf(limitCall(visitor(one), "resend", other, 1))).toBe("in");
  });

  test("reads don't touch the database; the table holds no address and no email", async () => {
    await limitCall(visitor(one), "default", "203.0.113.9", 1);
    expect(await one.database.db.select().from(rateLimits)).toEqual([]);
    await limitCall(visitor(one), "login", "203.0.113.9", 1);
    await outcomeOf(logIn(visitor(one), { email: "ada@example.com", password: "x" }));
    const rows = await one.database.db.select().from(rateLimits);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/203\.0\.113|ada/);
  });

  test("rows are deleted a day after they ended", async () => {
    await countShared(visitor(one), { name: "test", subject: "old", windowMs: MINUTE_MS });
    expect(await one.later(DAY_MS, () => RETENTION_RULES["rate-limits"](visitor(one)))).toBe(0);
    expect(await one.later(DAY_MS + 2 * MINUTE_MS, () => RETENTION_RULES["rate-limits"](visitor(one)))).toBe(1);
  });
});

let addresses = 0;
const guess = (email: string, password = "wrong", browser: string | null = null) => {
  addresses += 1;
  const harness = addresses % 2 === 0 ? one : two;
  return outcomeOf(logIn(visitor(harness, `198.51.100.${addresses}`, browser), { email, password }));
};
const fail = async (email: string, times: number) => {
  for (let n = 0; n < times; n += 1) expect(await guess(email)).toBe("wrong_login");
};

describe("R-SRV-09 guesses at the same time", () => {
  test("the free ones don't refuse each other", async () => {
    const outcomes = await Promise.all(Array.from({ length: FREE_FAILURES }, () => guess("crowd@example.com")));
    expect(new Set(outcomes)).toEqual(new Set(["wrong_login"]));
  });

  test("attempts at the same time take turns before any password is checked", async () => {
    const email = await person();
    await fail(email, FREE_FAILURES);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => guess(email)));
    expect(outcomes.filter((outcome) => outcome === "wrong_login")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "too_many")).toHaveLength(11);
  });
});

describe("R-SRV-09 guesses at one account", () => {
  // Waits start at a second, which a slow machine needs for one guess.
  beforeAll(() => freezeDatabaseClock(one.database.db));

  test("many addresses and instances don't multiply them: after ten the wait grows, even for the right password", async () => {
    const email = await person();
    await fail(email, FREE_FAILURES + 1);
    for (const seconds of [1, 2, 4, 8]) {
      expect(await guess(email, PASSWORD)).toBe("too_many");
      await move(seconds * SECOND_MS + 50);
      if (seconds < 8) expect(await guess(email)).toBe("wrong_login");
    }
    expect(await guess(email, PASSWORD)).toBe("in");
    await fail(email, FREE_FAILURES);
  });

  test("the wait is at most 15 minutes", async () => {
    const email = await person();
    await fail(email, FREE_FAILURES + 1);
    for (let n = 0; n < 15; n += 1) {
      await move(15 * MINUTE_MS + SECOND_MS);
      expect(await guess(email)).toBe("wrong_login");
    }
    await move(15 * MINUTE_MS + SECOND_MS);
    expect(await guess(email, PASSWORD)).toBe("in");
  });

  test("a browser that signed in before is never kept out, until the password changes; others' proofs don't count", async () => {
    const [email, neighbor] = [await person(), await person()];
    const signIn = (of: string) => logIn(visitor(one), { email: of, password: PASSWORD });
    const [{ knownBrowser }, foreign] = [await signIn(email), await signIn(neighbor)];
    await fail(email, FREE_FAILURES + 1);
    expect(await guess(email, PASSWORD, foreign.knownBrowser)).toBe("too_many");
    expect(await guess(email, "wrong", knownBrowser)).toBe("wrong_login");
    expect(await guess(email, PASSWORD, knownBrowser)).toBe("in");
  });

  test("an owner who sets a new password by email is not kept out afterward", async () => {
    const email = await person();
    const [user] = await one.database.db.select().from(users).where(eq(users.email, email));
    if (!user) throw new Error("There is no such user.");
    const token = "t".repeat(43);
    const times = { createdAt: one.now(), expiresAt: new Date(one.now().getTime() + MINUTE_MS) };
    await one.database.db.insert(passwordResets).values({ tokenHash: sha256(token), userId: user.id, ...times });
    const { knownBrowser } = await resetPassword(visitor(one), { token, newPassword: "Fresh-Moss-42!" });
    await fail(email, FREE_FAILURES + 1);
    expect(await guess(email, "Fresh-Moss-42!")).toBe("too_many");
    expect(await guess(email, "Fresh-Moss-42!", knownBrowser)).toBe("in");
  });

  test("an unknown email behaves like a known one", async () => {
    const [known, unknown] = [await person(), "nobody@example.com"];
    const answers = async (email: string) => {
      const all: string[] = [];
      for (let n = 0; n < FREE_FAILURES + 3; n += 1) all.push(await guess(email));
      return all;
    };
    expect(await answers(unknown)).toEqual(await answers(known));
  });
});
