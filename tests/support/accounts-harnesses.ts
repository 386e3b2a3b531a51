import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import type { UserId } from "#lib/core/ids.ts";
import { connectAccount } from "./connect-account.ts";
import { createTestHarness, createUser, type TestHarness } from "./context.ts";
import { databaseForFile } from "./database.ts";
import { freshFolders } from "./fresh-folders.ts";
import { startTestPinterest, type TestPinterest } from "./pinterest.ts";

/**
 * Two containers on one database, like two workers, with the Pinterest stand-in. Each test gets new ones, with clocks at
 * real time and without faults.
 */
export const harnessesWithPinterest = () => {
  const freshFolder = freshFolders("accounts");
  const database = databaseForFile();
  let pinterest: TestPinterest | undefined;
  let harnesses: [TestHarness, TestHarness] | undefined;
  const pinterestNow = (): TestPinterest => {
    if (!pinterest) throw new Error("The stand-in runs from beforeAll on.");
    return pinterest;
  };
  const harnessesNow = (): [TestHarness, TestHarness] => {
    if (!harnesses) throw new Error("The containers exist from beforeEach on.");
    return harnesses;
  };
  beforeAll(async () => {
    pinterest = await startTestPinterest();
  });
  beforeEach(async () => {
    const options = { databaseUrl: database().url, storageDir: freshFolder(), pinterestUrl: pinterestNow().url };
    harnesses = [createTestHarness(options), createTestHarness(options)];
    await harnesses[0].moveClock(0);
  });
  afterEach(async () => {
    await Promise.all([...harnessesNow().map((harness) => harness.close()), pinterestNow().clearFaults()]);
  });
  afterAll(() => pinterestNow().close());

  const harness = () => harnessesNow()[0];
  return {
    database,
    pinterest: pinterestNow,
    harness,
    otherHarness: () => harnessesNow()[1],
    moveClocks: async (ms: number) => {
      const [first, second] = harnessesNow();
      await first.moveClock(ms);
      second.skewClock(ms);
    },
    setPlan: async (userId: UserId, plan: "free" | "basic" | "growth" | "pro"): Promise<void> => {
      await harness().database.db.update(users).set({ plan }).where(eq(users.id, userId));
    },
    /** The account's row in the database. */
    rowOf: async (accountId: string) => {
      const { db } = harness().database;
      const [row] = await db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, accountId));
      if (!row) throw new Error("The account is gone.");
      return row;
    },
    /** A new user with one connected account; Pinterest's calls are counted from here on. */
    connected: async (username?: string) => {
      const user = await createUser(harness());
      const account = await connectAccount(user.ctx, pinterestNow(), username);
      await pinterestNow().resetCalls();
      return { ...user, account };
    },
  };
};
