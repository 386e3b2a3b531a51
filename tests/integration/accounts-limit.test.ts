import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { eraseTokens } from "#lib/features/accounts/access-tokens.ts";
import { finishConnection, startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { createUser } from "#tests/support/context.ts";
import { until } from "#tests/support/poll.ts";

const { pinterest, harness, setPlan, rowOf, moveClocks } = harnessesWithPinterest();

const begin = async (ctx: FullCtx) => {
  const username = await pinterest().createAccount();
  const started = await startConnection(ctx, {});
  const returned = await pinterest().completeConsent(started.authUrl, { username });
  return { ...started, username, returned };
};

const failed = (reason: string) => ({ kind: "failed", reason });

describe("the plan's limit", () => {
  test("R-ACC-12 A-89 R-ROLE-05 R-SUB-05 no consent starts at the limit", async () => {
    const { ctx, userId } = await createUser(harness());
    await connectAccount(ctx, pinterest());
    await expect(startConnection(ctx, {})).rejects.toMatchObject({
      code: "plan_limit",
      status: 403,
      message: "Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more.",
    });
    await setPlan(userId, "basic");
    await connectAccount(ctx, pinterest());
    await connectAccount(ctx, pinterest());
    await expect(startConnection(ctx, {})).rejects.toThrow(
      "Your Basic plan allows 3 connected Pinterest account(s). Upgrade to connect more.",
    );
  });

  test("R-ACC-12 of two concurrent callbacks at the limit one succeeds", async () => {
    const { ctx, userId } = await createUser(harness());
    const consents = [await begin(ctx), await begin(ctx)];
    const { db } = harness().database;
    // Both callbacks start their transaction before either can continue.
    const callbacks = await db.transaction(async (holder) => {
      await holder.select().from(users).where(eq(users.id, userId)).for("update");
      const running = consents.map(({ returned, browserSecret }) =>
        finishConnection(ctx, { ...returned, browserSecret }),
      );
      await until(async () => {
        const [waiting] = await db.execute<{ count: number }>(
          sql`select count(*)::int as count from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting?.count === 2;
      });
      return { running };
    });
    const outcomes = await Promise.all(callbacks.running);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["connected", "failed"]);
    expect(outcomes).toContainEqual(failed("limit"));
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-ACC-12 connecting the same Pinterest account twice counts once", async () => {
    const { ctx } = await createUser(harness());
    const [first, second] = [await startConnection(ctx, {}), await startConnection(ctx, {})];
    const username = await pinterest().createAccount();
    for (const { authUrl, browserSecret } of [first, second]) {
      const returned = await pinterest().completeConsent(authUrl, { username });
      expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    }
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("A-90 over the limit after a downgrade, accounts stay and new ones are rejected", async () => {
    const { ctx, userId } = await createUser(harness());
    await setPlan(userId, "basic");
    const first = await connectAccount(ctx, pinterest());
    await connectAccount(ctx, pinterest());
    await setPlan(userId, "free");
    expect(await findOwnedAccounts(ctx)).toHaveLength(2);
    await expect(startConnection(ctx, {})).rejects.toMatchObject({ code: "plan_limit" });
    await eraseTokens(ctx, { accountId: first.id });
    await expect(startConnection(ctx, {})).rejects.toMatchObject({ code: "plan_limit" });
  });
});

describe("connecting again", () => {
  test("R-ACC-12 ignores the limit and keeps the account id", async () => {
    const { ctx } = await createUser(harness());
    const account = await connectAccount(ctx, pinterest());
    await moveClocks(60_000);
    const outcome = await tryToConnect(ctx, pinterest(), account.username, { accountId: account.id });
    expect(outcome).toEqual({ kind: "connected" });
    expect(await findOwnedAccounts(ctx)).toEqual([account]);
  });

  test("R-ACC-12 accepts only the Pinterest user of that account", async () => {
    const { ctx } = await createUser(harness());
    const account = await connectAccount(ctx, pinterest());
    const before = await rowOf(account.id);
    const other = await pinterest().createAccount();
    expect(await tryToConnect(ctx, pinterest(), other, { accountId: account.id })).toEqual(failed("other_account"));
    expect(await rowOf(account.id)).toEqual(before);
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-API-31 another user's, unknown and malformed ids look the same", async () => {
    const owner = await createUser(harness());
    const account = await connectAccount(owner.ctx, pinterest());
    const { ctx } = await createUser(harness());
    for (const accountId of [account.id, `acc_${"0".repeat(26)}`, "acc_' or 1=1", "x", "\u0000"]) {
      await expect(startConnection(ctx, { accountId })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("A-13 a removed account has no tokens and reconnects under the same id", async () => {
    const { ctx } = await createUser(harness());
    const account = await connectAccount(ctx, pinterest());
    await eraseTokens(ctx, { accountId: account.id });
    expect(await rowOf(account.id)).toMatchObject({
      status: "removed",
      accessTokenSealed: null,
      refreshTokenSealed: null,
      scopes: "",
    });
    expect(await findOwnedAccounts(ctx)).toEqual([]);
    const again = await connectAccount(ctx, pinterest(), account.username);
    expect(again.id).toBe(account.id);
  });
});
