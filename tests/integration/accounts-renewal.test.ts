import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { eraseTokens, withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf } from "#tests/support/context.ts";
import { freezeTime } from "#tests/support/freeze-time.ts";
import { holdResponses } from "#tests/support/hold-responses.ts";

const REFRESH = "POST /v5/oauth/token";
const PROFILE = "GET /v5/user_account";

const { pinterest, harness, otherHarness, moveClocks, rowOf, connected } = harnessesWithPinterest();

/** The first harness's Pinterest client, whose renewal response the test releases. */
const renewalByHand = () => {
  const { ctx, arrived, open } = holdResponses(harness().ports, "refreshTokens");
  return { pinterest: ctx.pinterest, arrived, open };
};

/** Reads the profile in a harness, and returns the access token that was used. */
const readAs = async (account: OwnedAccount, worker = harness(), pinterestPort = worker.ports.pinterest) => {
  const ctx = { ...contextOf(worker, { kind: "job", name: "test" }), pinterest: pinterestPort };
  const tokensUsed: string[] = [];
  const answer = await withAccessToken(ctx, account.id, (accessToken) => {
    tokensUsed.push(accessToken);
    return ctx.pinterest.readProfile(accessToken);
  });
  return { kind: answer.kind, tokensUsed };
};

describe("renewing early", () => {
  test("R-SRV-05 starts 24 hours before the token expires, not sooner", async () => {
    freezeTime();
    const { account } = await connected();
    const { accessExpiresAt } = await rowOf(account.id);
    const untilDueMs = (accessExpiresAt?.getTime() ?? 0) - DAY_MS - harness().now().getTime();
    await moveClocks(untilDueMs - 1);
    expect((await readAs(account)).kind).toBe("ok");
    expect(await pinterest().calls(REFRESH)).toBe(0);
    await moveClocks(1);
    expect((await readAs(account)).kind).toBe("ok");
    expect(await pinterest().calls(REFRESH)).toBe(1);
  });

  test("R-SRV-05 both tokens and both expiries are saved together, sealed", async () => {
    const { account } = await connected();
    const before = await rowOf(account.id);
    await moveClocks(29.5 * DAY_MS);
    const { tokensUsed } = await readAs(account);
    const after = await rowOf(account.id);
    const open = (sealed: string | null) => harness().sealer.open(sealed ?? "");
    expect(tokensUsed).toEqual([open(after.accessTokenSealed)]);
    expect(open(after.accessTokenSealed)).not.toBe(open(before.accessTokenSealed));
    expect(open(after.refreshTokenSealed)).not.toBe(open(before.refreshTokenSealed));
    expect(after.accessExpiresAt?.getTime()).toBeGreaterThan(before.accessExpiresAt?.getTime() ?? Infinity);
    expect(after.refreshExpiresAt?.getTime()).toBeGreaterThan(before.refreshExpiresAt?.getTime() ?? Infinity);
    expect(JSON.stringify(after)).not.toMatch(/pina_|pinr_/);
  });

  test("R-SRV-05 a temporary failure leaves the account connected with its current token", async () => {
    const { account } = await connected();
    await moveClocks(29.5 * DAY_MS);
    for (const scenario of ["server-error", "cut", "malformed", "rate-limited"]) {
      await pinterest().addFault({ match: REFRESH, scenario });
      expect((await readAs(account)).kind).toBe("ok");
      expect(await rowOf(account.id)).toMatchObject({ status: "connected", refreshLease: null });
    }
    expect(await pinterest().calls(REFRESH)).toBe(4);
    await readAs(account);
    expect((await rowOf(account.id)).accessExpiresAt?.getTime()).toBeGreaterThan(
      harness().now().getTime() + 29 * DAY_MS,
    );
  });

  test("R-SRV-05 a refused refresh token disconnects nothing while the access token works", async () => {
    const { account } = await connected();
    await moveClocks(29.5 * DAY_MS);
    await pinterest().addFault({ match: REFRESH, scenario: "token-dead" });
    expect((await readAs(account)).kind).toBe("ok");
    expect((await rowOf(account.id)).status).toBe("connected");
  });
});

describe("two workers", () => {
  test("R-SRV-05 with an expired token make one refresh call and both continue", async () => {
    const { account } = await connected();
    await moveClocks(31 * DAY_MS);
    await pinterest().addFault({ match: REFRESH, delayMs: 300 });
    const uses = await Promise.all(
      [harness(), otherHarness(), harness(), otherHarness()].map((worker) => readAs(account, worker)),
    );
    expect(await pinterest().calls(REFRESH)).toBe(1);
    expect(new Set(uses.flatMap(({ tokensUsed }) => tokensUsed)).size).toBe(1);
    expect(uses.map(({ kind }) => kind)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  test("R-SRV-05 that both get a 401 make one refresh call and both repeat their call", async () => {
    const { account } = await connected();
    // Its first connection would take longer than the other's renewal.
    await otherHarness().database.db.execute(sql`select 1`);
    await pinterest().addFault({ match: PROFILE, scenario: "token-dead", times: 2, delayMs: 200 });
    await pinterest().addFault({ match: REFRESH, delayMs: 300 });
    const uses = await Promise.all([readAs(account, harness()), readAs(account, otherHarness())]);
    expect(uses.map(({ kind, tokensUsed }) => [kind, tokensUsed.length])).toEqual([
      ["ok", 2],
      ["ok", 2],
    ]);
    expect(await pinterest().calls(REFRESH)).toBe(1);
  });

  test("R-SRV-05 a worker with a valid token does not wait for the other's renewal", async () => {
    const { account } = await connected();
    await moveClocks(29.5 * DAY_MS);
    const renewal = renewalByHand();
    const renewing = readAs(account, harness(), renewal.pinterest);
    await renewal.arrived;
    const { kind } = await readAs(account, otherHarness());
    expect(kind).toBe("ok");
    expect((await rowOf(account.id)).refreshLease).not.toBeNull();
    renewal.open();
    await renewing;
    expect(await pinterest().calls(REFRESH)).toBe(1);
  });

  test("R-SRV-05 a crashed renewal blocks other workers only until its lease ends", async () => {
    const { account } = await connected();
    await moveClocks(31 * DAY_MS);
    await harness()
      .database.db.update(pinterestAccounts)
      .set({ refreshLease: "dead-worker", refreshLeaseUntil: sql`now() + interval '1 second'` })
      .where(eq(pinterestAccounts.id, account.id));
    expect((await readAs(account)).kind).toBe("ok");
    expect(await pinterest().calls(REFRESH)).toBe(1);
  });

  test("A-13 an account removed while its tokens are being renewed stays removed", async () => {
    const { account, ctx } = await connected();
    await moveClocks(31 * DAY_MS);
    const renewal = renewalByHand();
    const renewing = expect(readAs(account, harness(), renewal.pinterest)).rejects.toMatchObject({
      code: "reconnect_needed",
    });
    await renewal.arrived;
    await eraseTokens(ctx, { accountId: account.id });
    renewal.open();
    await renewing;
    expect(await rowOf(account.id)).toMatchObject({
      status: "removed",
      accessTokenSealed: null,
      refreshTokenSealed: null,
    });
  });

  test("R-SRV-05 an account reconnected during a failing renewal keeps its new tokens", async () => {
    const { account, ctx } = await connected();
    await moveClocks(31 * DAY_MS);
    await pinterest().addFault({ match: REFRESH, scenario: "token-dead" });
    const renewal = renewalByHand();
    const renewing = readAs(account, harness(), renewal.pinterest);
    await renewal.arrived;
    const outcome = await tryToConnect(ctx, pinterest(), account.username, { accountId: account.id });
    expect(outcome).toEqual({ kind: "connected" });
    renewal.open();
    expect((await renewing).kind).toBe("ok");
    expect((await rowOf(account.id)).status).toBe("connected");
  });
});
