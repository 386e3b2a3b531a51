import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { freeAllowanceClaims } from "#db/schema/credits.ts";
import { inTransaction } from "#lib/context.ts";
import { DAY_MS, nextMonthStart } from "#lib/core/time.ts";
import { eraseTokens } from "#lib/features/accounts/access-tokens.ts";
import { ensureAllowance, settleFreeAllowance } from "#lib/features/credits/allowance.ts";
import { anonymizeClaims, hashAccount } from "#lib/features/credits/free-allowance.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { reserveCredits } from "#lib/features/credits/reservations.ts";
import { readBalance, readStatement } from "#lib/features/credits/statement.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf, createUser } from "#tests/support/context.ts";
import { confirmEmail } from "./credits-harness.ts";

const { pinterest, harness, setPlan } = harnessesWithPinterest();

const job = () => contextOf(harness(), { kind: "job", name: "test" });

type User = Awaited<ReturnType<typeof createUser>>;

/** A user with a confirmed email who has looked at their credits. */
const open = async (): Promise<User> => {
  const user = await createUser(harness());
  await confirmEmail(user);
  await readBalance(user.ctx);
  return user;
};

const free = async ({ ctx }: User) => (await readBalance(ctx)).allowance;

/** Runs in the middle of a later month. */
const inMonths = <R>(months: number, work: () => Promise<R>): Promise<R> => {
  let start = harness().now();
  for (let month = 0; month < months; month += 1) start = nextMonthStart(start);
  return harness().later(start.getTime() + 14 * DAY_MS - harness().now().getTime(), work);
};

const connect = (user: User, username: string) => connectAccount(user.ctx, pinterest(), username);

afterEach(async () => {
  expect((await checkLedger(job())).faults).toEqual([]);
});

describe("one free allowance per Pinterest account", () => {
  test("A-26: the unused free credits of a second user expire when they connect, with an entry that says why", async () => {
    const username = await pinterest().createAccount();
    const users = [await open(), await open(), await open()];
    for (const user of users) await connect(user, username);
    expect(await Promise.all(users.map(free))).toEqual([5, 0, 0]);
    const [, second] = users as [User, User, User];
    expect(await readBalance(second.ctx)).toMatchObject({ availableCredits: 0, isAllowanceTaken: true });
    const [entry] = (await readStatement(second.ctx, {})).entries;
    expect(entry).toMatchObject({ kind: "expiry", credits: -5, note: expect.stringContaining("another user") });
    const lots = [{ reference: job().newId("task"), costCredits: 1 }];
    expect(await reserveCredits(second.ctx, { userId: second.userId, lots })).toMatchObject({
      reserved: 0,
      leftOut: "allowance_taken",
    });
  });

  test("next month the first user gets it again, and the second gets none", async () => {
    const username = await pinterest().createAccount();
    const [first, second] = [await open(), await open()];
    await connect(first, username);
    await connect(second, username);
    await inMonths(1, async () => {
      expect([await free(second), await free(first)]).toEqual([0, 5]);
      expect((await readBalance(second.ctx)).isAllowanceTaken).toBe(true);
      expect((await readBalance(first.ctx)).isAllowanceTaken).toBe(false);
    });
  });

  test("a user who connects an own account after a taken one gets back what was taken, once", async () => {
    const [taken, own] = [await pinterest().createAccount(), await pinterest().createAccount()];
    const [first, second] = [await open(), await open()];
    await connect(first, taken);
    const account = await connect(second, taken);
    expect(await free(second)).toBe(0);
    await eraseTokens(second.ctx, { accountId: account.id });
    await connect(second, own);
    expect(await readBalance(second.ctx)).toMatchObject({ allowance: 5, isAllowanceTaken: false });
    await inTransaction(second.ctx, (tx) => settleFreeAllowance(tx, second));
    expect(await free(second)).toBe(5);
  });

  test("of users who connect it at the same time, exactly one gets it", async () => {
    const username = await pinterest().createAccount();
    const users = [await open(), await open(), await open(), await createUser(harness())];
    const reads = users.flatMap((user) => [readBalance(user.ctx), ensureAllowance(user.ctx, user)]);
    const outcomes = await Promise.all(users.map(({ ctx }) => tryToConnect(ctx, pinterest(), username)));
    await Promise.all(reads);
    expect(outcomes).toEqual(users.map(() => ({ kind: "connected" })));
    expect((await Promise.all(users.map(free))).toSorted()).toEqual([0, 0, 0, 5]);
  });

  test("connecting while credits are used neither deadlocks nor grants twice", async () => {
    const user = await open();
    await grantCredits(user.ctx, { userId: user.userId, credits: 40, note: "test", cause: user.userId });
    const username = await pinterest().createAccount();
    const lots = () => [{ reference: job().newId("task"), costCredits: 1 }];
    const uses = Array.from({ length: 20 }, () => reserveCredits(user.ctx, { userId: user.userId, lots: lots() }));
    await Promise.all([connect(user, username), ...uses]);
    expect((await readBalance(user.ctx)).availableCredits).toBe(25);
  });

  test("connecting the same account again keeps the credits", async () => {
    const user = await open();
    const account = await connect(user, await pinterest().createAccount());
    await tryToConnect(user.ctx, pinterest(), account.username, { accountId: account.id });
    await eraseTokens(user.ctx, { accountId: account.id });
    await connect(user, account.username);
    expect(await free(user)).toBe(5);
  });

  test("it stays with its user for the month after the account was removed or the user was erased", async () => {
    const username = await pinterest().createAccount();
    const [first, second] = [await open(), await open()];
    const account = await connect(first, username);
    await eraseTokens(first.ctx, { accountId: account.id });
    await anonymizeClaims(job(), first);
    await connect(second, username);
    expect(await free(second)).toBe(0);
    expect(await inMonths(1, () => free(second))).toBe(0);
    // A whole month went by in which nobody got it.
    expect(await inMonths(2, () => free(second))).toBe(5);
  });

  test("paid plans are not affected", async () => {
    const username = await pinterest().createAccount();
    const [first, paying] = [await open(), await open()];
    await connect(first, username);
    await setPlan(paying.userId, "basic");
    await connect(paying, username);
    expect(await free(paying)).toBe(5);
  });

  test("only a hash of the Pinterest user id is stored, until 62 days after the claim", async () => {
    const user = await open();
    const account = await connect(user, await pinterest().createAccount());
    const own = () => job().db.select().from(freeAllowanceClaims).where(eq(freeAllowanceClaims.userId, user.userId));
    const [claim] = await own();
    expect(claim?.accountHash).toBe(hashAccount(job(), account.pinterestUserId));
    expect(JSON.stringify(claim)).not.toContain(account.pinterestUserId);
    const purge = () => RETENTION_RULES["free-allowance-claims"](job());
    await harness().later(61 * DAY_MS, purge);
    expect(await own()).toHaveLength(1);
    await harness().later(63 * DAY_MS, purge);
    expect(await own()).toEqual([]);
  });
});
