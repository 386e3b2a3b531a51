import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type { PinterestResult } from "#lib/integrations/pinterest/port.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";

const REFRESH = "POST /v5/oauth/token";
const PROFILE = "GET /v5/user_account";

const { pinterest, harness, moveClocks, rowOf, connected } = harnessesWithPinterest();

/** Reads the profile in a harness, and returns the access token that was used. */
const readAs = async (account: OwnedAccount, worker: TestHarness = harness()) => {
  const ctx = contextOf(worker, { kind: "job", name: "test" });
  const tokensUsed: string[] = [];
  const answer = await withAccessToken(ctx, account.id, (accessToken) => {
    tokensUsed.push(accessToken);
    return ctx.pinterest.readProfile(accessToken);
  });
  return { kind: answer.kind, tokensUsed };
};

describe("a dead token", () => {
  test("R-SRV-05 is renewed once and the call is repeated", async () => {
    const { account } = await connected();
    await pinterest().addFault({ match: PROFILE, scenario: "token-dead" });
    expect((await readAs(account)).kind).toBe("ok");
    expect(await pinterest().calls(PROFILE)).toBe(2);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("R-SRV-05 with a dead refresh token marks the account and stops calls to Pinterest", async () => {
    const { account } = await connected();
    await pinterest().revoke(account.username);
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed", status: 409 });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
    await pinterest().resetCalls();
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect((await pinterest().calls(PROFILE)) + (await pinterest().calls(REFRESH))).toBe(0);
  });

  test("R-SRV-05 that is rejected after a renewal marks the account", async () => {
    const { account } = await connected();
    await pinterest().addFault({ match: PROFILE, scenario: "token-dead", times: 2 });
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
  });

  test("R-SRV-05 whose renewal fails temporarily stays connected and works later", async () => {
    const { account } = await connected();
    await moveClocks(31 * DAY_MS);
    for (const scenario of ["unavailable", "cut", "rate-limited-retry-after"]) {
      await pinterest().addFault({ match: REFRESH, scenario });
      await expect(readAs(account)).rejects.toMatchObject({ code: "provider_unavailable", retry: true });
      expect((await rowOf(account.id)).status).toBe("connected");
    }
    expect((await readAs(account)).kind).toBe("ok");
  });

  test("R-SRV-05 reconnecting restores the account", async () => {
    const { account, ctx } = await connected();
    await pinterest().revoke(account.username);
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed" });
    await moveClocks(HOUR_MS);
    await tryToConnect(ctx, pinterest(), account.username, { accountId: account.id });
    expect((await readAs(account)).kind).toBe("ok");
  });
});

describe("refusals that are not the token's fault", () => {
  test("R-SRV-05 a beta feature's 401 neither renews nor disconnects", async () => {
    const { account } = await connected();
    await pinterest().addFault({ match: PROFILE, scenario: "restricted-feature" });
    expect((await readAs(account)).kind).toBe("problem");
    expect(await pinterest().calls(REFRESH)).toBe(0);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("R-SRV-05 a missing permission is named and marks the account", async () => {
    const { account } = await connected();
    await pinterest().addFault({ match: PROFILE, scenario: "missing-scope" });
    const ctx = contextOf(harness(), { kind: "job", name: "test" });
    const answer: PinterestResult<unknown> = await withAccessToken(ctx, account.id, (accessToken) =>
      ctx.pinterest.readProfile(accessToken),
    );
    expect(answer).toMatchObject({
      problem: {
        kind: "missing_scope",
        text: "Please reconnect this Pinterest account and allow all requested permissions.",
      },
    });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
  });
});
