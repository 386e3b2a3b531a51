import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { oauthStates } from "#db/schema/accounts.ts";
import type { FullCtx } from "#lib/context.ts";
import { REQUIRED_SCOPES } from "#lib/features/accounts/constants.ts";
import { finishConnection, startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { beginConnection, failed } from "#tests/support/begin-connection.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf, createUser } from "#tests/support/context.ts";

const { pinterest, harness, rowOf } = harnessesWithPinterest();

const begin = (ctx: FullCtx) => beginConnection(ctx, pinterest());

describe("connecting", () => {
  test("R-ACC-07 A-86 a consent connects the account", async () => {
    const { ctx } = await createUser(harness());
    const { authUrl, returned, browserSecret, username, state } = await begin(ctx);
    expect(new URL(authUrl).searchParams.get("redirect_uri")).toBe(
      "http://localhost:3000/api/users/pinterest/callback/",
    );
    expect(returned.state).toBe(state);
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    const accounts = await findOwnedAccounts(ctx);
    expect(accounts).toMatchObject([{ username, status: "connected" }]);
  });

  test("R-ACC-07 a callback without a login connects the account of the user who started it", async () => {
    const { ctx } = await createUser(harness());
    const { returned, browserSecret } = await begin(ctx);
    const visitor = contextOf(harness(), { kind: "visitor", address: "127.0.0.1" });
    expect(await finishConnection(visitor, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-SRV-05 tokens are sealed in the database", async () => {
    const { ctx } = await createUser(harness());
    const account = await connectAccount(ctx, pinterest());
    const row = await rowOf(account.id);
    expect(JSON.stringify(row)).not.toMatch(/pina_|pinr_/);
    expect(harness().sealer.open(row.accessTokenSealed ?? "")).toMatch(/^pina_/);
    expect(harness().sealer.open(row.refreshTokenSealed ?? "")).toMatch(/^pinr_/);
  });

  test("R-SRV-05 neither state nor browser secret is stored", async () => {
    const { ctx, userId } = await createUser(harness());
    const { state, browserSecret } = await startConnection(ctx, {});
    const rows = JSON.stringify(
      await harness().database.db.select().from(oauthStates).where(eq(oauthStates.userId, userId)),
    );
    expect(rows).not.toContain(state);
    expect(rows).not.toContain(browserSecret);
  });

  test("A-86 a denial connects nothing and uses up the state", async () => {
    const { ctx } = await createUser(harness());
    const started = await startConnection(ctx, {});
    const { browserSecret } = started;
    const returned = await pinterest().completeConsent(started.authUrl, { decision: "deny" });
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual(failed("denied"));
    const late = await pinterest().completeConsent(started.authUrl, { username: await pinterest().createAccount() });
    expect(await finishConnection(ctx, { ...late, browserSecret })).toEqual(failed("state"));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
  });

  test("A-86 a callback without code is a denial", async () => {
    const { ctx } = await createUser(harness());
    expect(await finishConnection(ctx, { browserSecret: undefined })).toEqual(failed("denied"));
  });

  test("A-86 requires all permissions except the secret ones", async () => {
    const { ctx } = await createUser(harness());
    const username = await pinterest().createAccount();
    const few = REQUIRED_SCOPES.filter((scope) => scope !== "pins:write");
    expect(await tryToConnect(ctx, pinterest(), username, { scopes: few })).toEqual(failed("scopes"));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
    expect(await tryToConnect(ctx, pinterest(), username, { scopes: REQUIRED_SCOPES })).toEqual({ kind: "connected" });
  });

  test.each([
    ["POST /v5/oauth/token", "server-error", "unavailable"],
    ["POST /v5/oauth/token", "cut", "unavailable"],
    ["POST /v5/oauth/token", "malformed", "unavailable"],
    ["POST /v5/oauth/token", "token-dead", "failed"],
    ["GET /v5/user_account", "unavailable", "unavailable"],
    ["GET /v5/user_account", "rate-limited", "unavailable"],
  ])("A-86 %s responding with %s leads to error=%s and stores nothing", async (match, scenario, reason) => {
    const { ctx } = await createUser(harness());
    const { returned, browserSecret } = await begin(ctx);
    await pinterest().addFault({ match, scenario });
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual(failed(reason));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
  });

  test("A-86 rejects an invented code", async () => {
    const { ctx } = await createUser(harness());
    const { returned, browserSecret } = await begin(ctx);
    const outcome = await finishConnection(ctx, { ...returned, code: "0".repeat(40), browserSecret });
    expect(outcome).toEqual(failed("failed"));
  });
});
