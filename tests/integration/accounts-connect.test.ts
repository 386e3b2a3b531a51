import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { REQUIRED_SCOPES } from "#lib/features/accounts/constants.ts";
import { eraseTokens } from "#lib/features/accounts/erase-tokens.ts";
import { finishConnection } from "#lib/features/accounts/finish-connection.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { startConnection } from "#lib/features/accounts/start-connection.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { startTestPinterest, type TestPinterest } from "#tests/support/pinterest.ts";

const database = databaseForFile();
let pinterest: TestPinterest;
let house: TestHouse;

beforeAll(async () => {
  pinterest = await startTestPinterest();
  house = createTestHouse({
    databaseUrl: database().url,
    storageDir: mkdtempSync(join(tmpdir(), "accounts-")),
    pinterestUrl: pinterest.url,
  });
});

afterAll(async () => {
  await house.close();
  await pinterest.close();
});

const setPlan = (userId: UserId, plan: "free" | "basic" | "growth" | "pro") =>
  house.database.db.update(users).set({ plan }).where(eq(users.id, userId));

const begin = async (ctx: FullCtx) => {
  const username = await pinterest.makeAccount();
  const started = await startConnection(ctx, {});
  const returned = await pinterest.walkConsent(started.authUrl, { username });
  return { ...started, username, returned };
};

const failed = (reason: string) => ({ kind: "failed", reason });

describe("connecting", () => {
  test("R-ACC-07 A-86 the consent page leads to a connected account", async () => {
    const { ctx } = await createUser(house);
    const { authUrl, returned, browserSecret, username, state } = await begin(ctx);
    expect(new URL(authUrl).searchParams.get("redirect_uri")).toBe(
      "http://localhost:3000/api/users/pinterest/callback/",
    );
    expect(returned.state).toBe(state);
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    const accounts = await findOwnedAccounts(ctx);
    expect(accounts).toMatchObject([{ username, status: "connected" }]);
  });

  test("R-ACC-07 a callback without a login connects for the user who began (bearer login)", async () => {
    const { ctx } = await createUser(house);
    const { returned, browserSecret } = await begin(ctx);
    const visitor = contextOf(house, { kind: "visitor", address: "127.0.0.1" });
    expect(await finishConnection(visitor, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-SRV-05 tokens are sealed in the database", async () => {
    const { ctx } = await createUser(house);
    const account = await connectAccount(ctx, pinterest);
    const rows = await house.database.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(JSON.stringify(rows)).not.toMatch(/pina_|pinr_/);
    expect(house.sealer.open(rows[0]?.accessTokenSealed ?? "")).toMatch(/^pina_/);
    expect(house.sealer.open(rows[0]?.refreshTokenSealed ?? "")).toMatch(/^pinr_/);
  });

  test("R-SRV-05 neither state nor browser secret is stored", async () => {
    const { ctx, userId } = await createUser(house);
    const { state, browserSecret } = await startConnection(ctx, {});
    const rows = JSON.stringify(
      await house.database.db.select().from(oauthStates).where(eq(oauthStates.userId, userId)),
    );
    expect(rows).not.toContain(state);
    expect(rows).not.toContain(browserSecret);
  });

  test("A-86 a denial connects nothing, and its state is spent", async () => {
    const { ctx } = await createUser(house);
    const started = await startConnection(ctx, {});
    const { browserSecret } = started;
    const returned = await pinterest.walkConsent(started.authUrl, { decision: "deny" });
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual(failed("denied"));
    const late = await pinterest.walkConsent(started.authUrl, { username: await pinterest.makeAccount() });
    expect(await finishConnection(ctx, { ...late, browserSecret })).toEqual(failed("state"));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
  });

  test("A-86 a callback without code is a denial", async () => {
    const { ctx } = await createUser(house);
    expect(await finishConnection(ctx, { browserSecret: undefined })).toEqual(failed("denied"));
  });

  test("A-86 fewer permissions than needed connect nothing; the secret ones may be refused", async () => {
    const { ctx } = await createUser(house);
    const username = await pinterest.makeAccount();
    const few = REQUIRED_SCOPES.filter((scope) => scope !== "pins:write");
    expect(await tryToConnect(ctx, pinterest, username, { scopes: few })).toEqual(failed("scopes"));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
    expect(await tryToConnect(ctx, pinterest, username, { scopes: REQUIRED_SCOPES })).toEqual({ kind: "connected" });
  });

  test.each([
    ["POST /v5/oauth/token", "server-error", "unavailable"],
    ["POST /v5/oauth/token", "cut", "unavailable"],
    ["POST /v5/oauth/token", "malformed", "unavailable"],
    ["POST /v5/oauth/token", "token-dead", "failed"],
    ["GET /v5/user_account", "unavailable", "unavailable"],
    ["GET /v5/user_account", "rate-limited", "unavailable"],
  ])("A-86 %s answering %s ends in error=%s and stores nothing", async (match, scenario, reason) => {
    const { ctx } = await createUser(house);
    const { returned, browserSecret } = await begin(ctx);
    await pinterest.strike({ match, scenario });
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual(failed(reason));
    expect(await findOwnedAccounts(ctx)).toEqual([]);
  });

  test("A-86 a code that Pinterest did not give is refused", async () => {
    const { ctx } = await createUser(house);
    const { returned, browserSecret } = await begin(ctx);
    const outcome = await finishConnection(ctx, { ...returned, code: "0".repeat(40), browserSecret });
    expect(outcome).toEqual(failed("failed"));
  });
});

describe("the state of a consent", () => {
  test("A-86 works once, even for two callbacks at the same time", async () => {
    const { ctx } = await createUser(house);
    const { returned, browserSecret } = await begin(ctx);
    const callback = () => finishConnection(ctx, { ...returned, browserSecret });
    const outcomes = await Promise.all([callback(), callback(), callback()]);
    expect(outcomes.filter(({ kind }) => kind === "connected")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "failed")).toEqual([failed("state"), failed("state")]);
    expect(await callback()).toEqual(failed("state"));
  });

  test("A-86 a changed state is refused wherever it was changed", async () => {
    const { ctx } = await createUser(house);
    const { returned, browserSecret, state } = await begin(ctx);
    const flip = (at: number) => `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
    for (const changed of [flip(0), flip(40), flip(50), "", ".", state.split(".")[0], `${state}x`]) {
      const outcome = await finishConnection(ctx, { ...returned, state: changed, browserSecret });
      expect(outcome).toEqual(failed("state"));
    }
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
  });

  test("A-86 another browser is refused, and does not use the state up", async () => {
    const { ctx } = await createUser(house);
    const mine = await begin(ctx);
    const other = await startConnection((await createUser(house)).ctx, {});
    for (const browserSecret of [undefined, "", other.browserSecret]) {
      expect(await finishConnection(ctx, { ...mine.returned, browserSecret })).toEqual(failed("state"));
    }
    const outcome = await finishConnection(ctx, { ...mine.returned, browserSecret: mine.browserSecret });
    expect(outcome).toEqual({ kind: "connected" });
  });

  test("A-86 R-ROLE-04 swapped states connect nobody: an attacker's consent does not land at the victim", async () => {
    const attacker = await createUser(house);
    const victim = await createUser(house);
    const theirs = await begin(attacker.ctx);
    const { browserSecret } = await startConnection(victim.ctx, {});
    expect(await finishConnection(victim.ctx, { ...theirs.returned, browserSecret })).toEqual(failed("state"));
    const planted = await finishConnection(victim.ctx, { ...theirs.returned, browserSecret: theirs.browserSecret });
    expect(planted).toEqual(failed("state"));
    expect(await findOwnedAccounts(victim.ctx)).toEqual([]);
  });

  test("A-86 lives ten minutes", async () => {
    const { ctx } = await createUser(house);
    const early = await begin(ctx);
    house.clock.move(10 * 60_000 - 5_000);
    expect(await finishConnection(ctx, { ...early.returned, browserSecret: early.browserSecret })).toEqual({
      kind: "connected",
    });
    const other = (await createUser(house)).ctx;
    const late = await begin(other);
    house.clock.move(10 * 60_000);
    expect(await finishConnection(other, { ...late.returned, browserSecret: late.browserSecret })).toEqual(
      failed("state"),
    );
  });
});

describe("the plan's limit", () => {
  test("R-ACC-12 A-89 R-ROLE-05 at the limit no consent begins", async () => {
    const { ctx, userId } = await createUser(house);
    await connectAccount(ctx, pinterest);
    await expect(startConnection(ctx, {})).rejects.toMatchObject({
      code: "plan_limit",
      status: 403,
      message: "Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more.",
    });
    await setPlan(userId, "basic");
    await connectAccount(ctx, pinterest);
    await connectAccount(ctx, pinterest);
    await expect(startConnection(ctx, {})).rejects.toThrow(
      "Your Basic plan allows 3 connected Pinterest account(s). Upgrade to connect more.",
    );
  });

  test("R-ACC-12 two consents under way at the limit: one gets the room", async () => {
    const { ctx } = await createUser(house);
    const consents = [await begin(ctx), await begin(ctx)];
    const outcomes = await Promise.all(
      consents.map(({ returned, browserSecret }) => finishConnection(ctx, { ...returned, browserSecret })),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["connected", "failed"]);
    expect(outcomes).toContainEqual(failed("limit"));
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-ACC-12 connecting the same Pinterest account twice takes one place", async () => {
    const { ctx } = await createUser(house);
    const [first, second] = [await startConnection(ctx, {}), await startConnection(ctx, {})];
    const username = await pinterest.makeAccount();
    for (const { authUrl, browserSecret } of [first, second]) {
      const returned = await pinterest.walkConsent(authUrl, { username });
      expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
    }
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("A-90 over the limit after a downgrade nothing is removed, and nothing new connects", async () => {
    const { ctx, userId } = await createUser(house);
    await setPlan(userId, "basic");
    const first = await connectAccount(ctx, pinterest);
    await connectAccount(ctx, pinterest);
    await setPlan(userId, "free");
    expect(await findOwnedAccounts(ctx)).toHaveLength(2);
    await expect(startConnection(ctx, {})).rejects.toMatchObject({ code: "plan_limit" });
    await eraseTokens(ctx, { accountId: first.id });
    await expect(startConnection(ctx, {})).rejects.toMatchObject({ code: "plan_limit" });
  });
});

describe("connecting again", () => {
  test("R-ACC-12 skips the limit and keeps the account", async () => {
    const { ctx } = await createUser(house);
    const account = await connectAccount(ctx, pinterest);
    const outcome = await tryToConnect(ctx, pinterest, account.username, { accountId: account.id });
    expect(outcome).toEqual({ kind: "connected" });
    expect(await findOwnedAccounts(ctx)).toMatchObject([{ id: account.id, status: "connected" }]);
  });

  test("R-ACC-12 takes only the Pinterest user of that account", async () => {
    const { ctx } = await createUser(house);
    const account = await connectAccount(ctx, pinterest);
    const before = await house.database.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    const other = await pinterest.makeAccount();
    expect(await tryToConnect(ctx, pinterest, other, { accountId: account.id })).toEqual(failed("other_account"));
    const after = await house.database.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(after).toEqual(before);
    expect(await findOwnedAccounts(ctx)).toHaveLength(1);
  });

  test("R-API-31 another user's account, an absent one and a malformed id look alike", async () => {
    const owner = await createUser(house);
    const account = await connectAccount(owner.ctx, pinterest);
    const { ctx } = await createUser(house);
    for (const accountId of [account.id, `acc_${"0".repeat(26)}`, "acc_' or 1=1", "x", "\u0000"]) {
      await expect(startConnection(ctx, { accountId })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("A-13 a removed account has no tokens, and connects again under the same id", async () => {
    const { ctx } = await createUser(house);
    const account = await connectAccount(ctx, pinterest);
    await eraseTokens(ctx, { accountId: account.id });
    const [row] = await house.database.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(row).toMatchObject({ status: "removed", accessTokenSealed: null, refreshTokenSealed: null, scopes: "" });
    expect(await findOwnedAccounts(ctx)).toEqual([]);
    const again = await connectAccount(ctx, pinterest, account.username);
    expect(again.id).toBe(account.id);
  });
});
