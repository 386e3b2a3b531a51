import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type { PinterestAnswer } from "#lib/integrations/pinterest/port.ts";
import { housesWithPinterest } from "#tests/support/accounts-houses.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";

const REFRESH = "POST /v5/oauth/token";
const PROFILE = "GET /v5/user_account";

const { pinterest, house, moveClocks, rowOf, connected } = housesWithPinterest();

/** Reads the profile as a worker of a house; the token that was used comes along. */
const readAs = async (account: OwnedAccount, worker: TestHouse = house()) => {
  const ctx = contextOf(worker, { kind: "job", name: "test" });
  const tokensUsed: string[] = [];
  const answer = await withAccessToken(ctx, account.id, (accessToken) => {
    tokensUsed.push(accessToken);
    return ctx.pinterest.readProfile(accessToken);
  });
  return { kind: answer.kind, tokensUsed };
};

describe("a dead token", () => {
  test("R-SRV-05 is renewed once, and the call repeated", async () => {
    const { account } = await connected();
    await pinterest().strike({ match: PROFILE, scenario: "token-dead" });
    expect((await readAs(account)).kind).toBe("ok");
    expect(await pinterest().calls(PROFILE)).toBe(2);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("R-SRV-05 with a dead refresh token marks the account, which then asks Pinterest nothing more", async () => {
    const { account } = await connected();
    await pinterest().revoke(account.username);
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed", status: 409 });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
    await pinterest().forgetCalls();
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect((await pinterest().calls(PROFILE)) + (await pinterest().calls(REFRESH))).toBe(0);
  });

  test("R-SRV-05 that a renewal does not cure marks the account", async () => {
    const { account } = await connected();
    await pinterest().strike({ match: PROFILE, scenario: "token-dead", times: 2 });
    await expect(readAs(account)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
  });

  test("R-SRV-05 whose renewal fails in passing does not disconnect, and later works again", async () => {
    const { account } = await connected();
    await moveClocks(31 * DAY_MS);
    for (const scenario of ["unavailable", "cut", "rate-limited-retry-after"]) {
      await pinterest().strike({ match: REFRESH, scenario });
      await expect(readAs(account)).rejects.toMatchObject({ code: "provider_unavailable", retry: true });
      expect((await rowOf(account.id)).status).toBe("connected");
    }
    expect((await readAs(account)).kind).toBe("ok");
  });

  test("R-SRV-05 connecting again heals the account", async () => {
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
    await pinterest().strike({ match: PROFILE, scenario: "restricted-feature" });
    expect((await readAs(account)).kind).toBe("problem");
    expect(await pinterest().calls(REFRESH)).toBe(0);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("R-SRV-05 a missing permission is handed on by name and asks for reconnection", async () => {
    const { account } = await connected();
    await pinterest().strike({ match: PROFILE, scenario: "missing-scope" });
    const ctx = contextOf(house(), { kind: "job", name: "test" });
    const answer: PinterestAnswer<unknown> = await withAccessToken(ctx, account.id, (accessToken) =>
      ctx.pinterest.readProfile(accessToken),
    );
    expect(answer).toMatchObject({
      problem: {
        kind: "missing_scope",
        text: "Pinterest asks you to connect this account again and to allow pins:write.",
      },
    });
    expect((await rowOf(account.id)).status).toBe("reconnect_needed");
  });
});
