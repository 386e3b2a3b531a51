import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import type { UserId } from "#lib/core/ids.ts";
import { connectAccount } from "./connect-account.ts";
import { createTestHouse, createUser, type TestHouse } from "./context.ts";
import { databaseForFile } from "./database.ts";
import { freshFolders } from "./fresh-folders.ts";
import { startTestPinterest, type TestPinterest } from "./pinterest.ts";

/**
 * Two houses over one database, as two workers, with the Pinterest stand-in. New houses for each test, so that their
 * clocks stand at the real time; faults that a test left behind are cleared.
 */
export const housesWithPinterest = () => {
  const freshFolder = freshFolders("accounts");
  const database = databaseForFile();
  let pinterest: TestPinterest | undefined;
  let houses: [TestHouse, TestHouse] | undefined;
  const pinterestNow = (): TestPinterest => {
    if (!pinterest) throw new Error("The stand-in runs from beforeAll on.");
    return pinterest;
  };
  const housesNow = (): [TestHouse, TestHouse] => {
    if (!houses) throw new Error("The houses stand from beforeEach on.");
    return houses;
  };
  beforeAll(async () => {
    pinterest = await startTestPinterest();
  });
  beforeEach(async () => {
    const options = { databaseUrl: database().url, storageDir: freshFolder(), pinterestUrl: pinterestNow().url };
    houses = [createTestHouse(options), createTestHouse(options)];
    await houses[0].moveClock(0);
  });
  afterEach(async () => {
    await Promise.all([...housesNow().map((house) => house.close()), pinterestNow().clearFaults()]);
  });
  afterAll(() => pinterestNow().close());

  const house = () => housesNow()[0];
  return {
    database,
    pinterest: pinterestNow,
    house,
    otherHouse: () => housesNow()[1],
    moveClocks: async (ms: number) => {
      const [first, second] = housesNow();
      await first.moveClock(ms);
      second.skewClock(ms);
    },
    setPlan: async (userId: UserId, plan: "free" | "basic" | "growth" | "pro"): Promise<void> => {
      await house().database.db.update(users).set({ plan }).where(eq(users.id, userId));
    },
    /** The account as it stands in the database. */
    rowOf: async (accountId: string) => {
      const { db } = house().database;
      const [row] = await db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, accountId));
      if (!row) throw new Error("The account is gone.");
      return row;
    },
    /** A new user with one connected account; Pinterest's calls are counted from here on. */
    connected: async (username?: string) => {
      const user = await createUser(house());
      const account = await connectAccount(user.ctx, pinterestNow(), username);
      await pinterestNow().forgetCalls();
      return { ...user, account };
    },
  };
};
