import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { FullCtx } from "#lib/context.ts";
import { eraseTokens } from "#lib/features/accounts/access-tokens.ts";
import { listAccounts, listBoards } from "#lib/features/accounts/accounts.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { toAccountStub, toAccountWire, toBoardsWire } from "#lib/features/accounts/serializers.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { contextOf, createUser } from "#tests/support/context.ts";
import { freezeTime } from "#tests/support/freeze-time.ts";

const BOARDS = "GET /v5/boards";
const PROFILE = "GET /v5/user_account";

const { pinterest, harness, moveClocks, setPlan, connected } = harnessesWithPinterest();

/** A user on the pro plan with several accounts. */
const withAccounts = async (count: number) => {
  const { ctx, userId } = await createUser(harness());
  await setPlan(userId, "pro");
  const accounts = [];
  for (let n = 0; n < count; n += 1) accounts.push(await connectAccount(ctx, pinterest()));
  await pinterest().resetCalls();
  return { ctx, accounts };
};

const wireOf = async (ctx: FullCtx) => (await listAccounts(ctx)).map(toAccountWire);

describe("accounts", () => {
  test("R-ACC-01 R-ACC-02 R-ENT-04 returns live counts in the documented shape, without tokens", async () => {
    const { ctx, account } = await connected("moss.and.thread");
    const [wire] = await wireOf(ctx);
    expect(wire).toEqual({
      id: account.id,
      username: "moss.and.thread",
      created: account.connectedAt.toISOString(),
      total_boards: 12,
      total_pins: expect.any(Number),
      followers: expect.any(Number),
      monthly_views: expect.any(Number),
      status: "connected",
      profile_url: `${pinterest().url}/moss.and.thread/`,
    });
    expect(JSON.stringify(await listAccounts(ctx))).not.toMatch(/pin[ar]_|v1\.[0-9a-f]{8}\./);
  });

  test("R-ENT-04 missing counts are null, not 0", async () => {
    const { ctx } = await connected("quiet.bicycle");
    expect(await wireOf(ctx)).toMatchObject([{ total_boards: 2, monthly_views: null }]);
  });

  test("R-ACC-01 no accounts is an empty list", async () => {
    expect(await wireOf((await createUser(harness())).ctx)).toEqual([]);
  });

  test("R-ACC-05 the first render uses stored data without calling Pinterest", async () => {
    const { ctx, account } = await connected();
    expect(toAccountStub(ctx, account)).toMatchObject({
      id: account.id,
      total_boards: null,
      profile_url: `${pinterest().url}/${account.username}/`,
    });
    expect(await pinterest().calls(PROFILE)).toBe(0);
  });

  test("R-ACC-01 one account's failure never hides the others", async () => {
    const { ctx, accounts } = await withAccounts(3);
    const [dead, down, fine] = accounts;
    await pinterest().revoke(dead?.username ?? "");
    await pinterest().addFault({ match: PROFILE, scenario: "server-error", where: { account: down?.username } });
    const unread = { total_boards: null, total_pins: null, followers: null, monthly_views: null };
    expect(await wireOf(ctx)).toMatchObject([
      { id: dead?.id, username: dead?.username, status: "reconnect_needed", ...unread },
      { id: down?.id, username: down?.username, status: "connected", ...unread },
      { id: fine?.id, username: fine?.username, status: "connected", total_boards: 3 },
    ]);
  });

  test("R-ACC-01 an unreadable stored token does not hide other accounts", async () => {
    const { ctx, accounts } = await withAccounts(2);
    await harness()
      .database.db.update(pinterestAccounts)
      .set({ accessTokenSealed: "v1.00000000.a.b.c" })
      .where(eq(pinterestAccounts.id, accounts[0]?.id ?? ""));
    expect(await wireOf(ctx)).toMatchObject([{ total_boards: null }, { total_boards: 3 }]);
  });

  test("R-ACC-01 stores a changed username", async () => {
    const { ctx, account } = await connected();
    const renamed = `${account.username}new`;
    await pinterest().rename(account.username, renamed);
    expect(await wireOf(ctx)).toMatchObject([{ username: renamed, profile_url: `${pinterest().url}/${renamed}/` }]);
    expect(await requireOwnedAccount(ctx, account.id)).toMatchObject({ username: renamed });
  });

  test("R-ACC-01 caches live reads for a minute", async () => {
    freezeTime();
    const { ctx } = await connected();
    await listAccounts(ctx);
    await moveClocks(59_999);
    await listAccounts(ctx);
    expect(await pinterest().calls(PROFILE)).toBe(1);
    await moveClocks(1);
    await listAccounts(ctx);
    expect(await pinterest().calls(PROFILE)).toBe(2);
  });

  test("R-ROLE-04 users see only their own accounts", async () => {
    const mine = await connected();
    const theirs = await connected();
    expect((await wireOf(mine.ctx)).map(({ id }) => id)).toEqual([mine.account.id]);
    expect((await wireOf(theirs.ctx)).map(({ id }) => id)).toEqual([theirs.account.id]);
  });
});

describe("boards", () => {
  test("R-BRD-02 R-BRD-07 returns all 268 boards over all pages, including secret ones", async () => {
    const { ctx, account } = await connected("atlas.of.small.rooms");
    const { items } = toBoardsWire(await listBoards(ctx, { accountId: account.id }));
    const real = await pinterest().boardsOf("atlas.of.small.rooms");
    expect(items.map(({ id, name, privacy }) => ({ id, name, privacy }))).toEqual(real);
    expect(new Set(items.map(({ id }) => id)).size).toBe(268);
    expect(await pinterest().calls(BOARDS)).toBe(2);
  });

  test("R-BRD-03 R-ENT-05 each has name, description and privacy; no description is an empty text", async () => {
    const { ctx, account } = await connected("salt.and.rye");
    const { items } = toBoardsWire(await listBoards(ctx, { accountId: account.id }));
    expect(items.map((board) => Object.keys(board))).toEqual(
      Array.from({ length: 3 }, () => ["id", "name", "description", "privacy"]),
    );
    expect(items[1]).toMatchObject({ name: "Rye", description: "", privacy: "PUBLIC" });
  });

  test("R-BRD-04 secret and protected boards keep their privacy", async () => {
    const { ctx, account } = await connected("slow.harbor");
    const boards = await listBoards(ctx, { accountId: account.id });
    expect(boards.map(({ privacy }) => privacy)).toEqual(["PUBLIC", "PUBLIC", "SECRET"]);
  });

  test("R-BRD-02 concurrent readers share one call, later ones its result for a minute", async () => {
    const { ctx, account } = await connected();
    const read = () => listBoards(ctx, { accountId: account.id });
    const [first, second] = await Promise.all([read(), read()]);
    expect(first).toEqual(second);
    await read();
    expect(await pinterest().calls(BOARDS)).toBe(1);
    await moveClocks(60_000);
    await read();
    expect(await pinterest().calls(BOARDS)).toBe(2);
  });

  test.each([
    ["server-error", "provider_unavailable", 503],
    ["malformed", "provider_unavailable", 503],
    ["rate-limited", "provider_unavailable", 503],
    ["not-permitted", "refused", 422],
    ["missing-scope", "reconnect_needed", 409],
  ])("R-BRD-06 a Pinterest %s becomes %s and is not cached", async (scenario, code, status) => {
    const { ctx, account } = await connected();
    await pinterest().addFault({ match: BOARDS, scenario });
    await expect(listBoards(ctx, { accountId: account.id })).rejects.toMatchObject({ code, status });
    await harness()
      .database.db.update(pinterestAccounts)
      .set({ status: "connected" })
      .where(eq(pinterestAccounts.id, account.id));
    expect(await listBoards(ctx, { accountId: account.id })).toHaveLength(3);
  });

  test("R-BRD-06 a disconnected account is 409, even when its boards are cached", async () => {
    const { ctx, account } = await connected();
    await listBoards(ctx, { accountId: account.id });
    await pinterest().revoke(account.username);
    await listAccounts(ctx);
    await expect(listBoards(ctx, { accountId: account.id })).rejects.toMatchObject({
      code: "reconnect_needed",
      status: 409,
    });
  });

  test("R-API-31 other users', unknown, removed and malformed ids look the same and cause no call", async () => {
    const owner = await connected();
    const { ctx, account } = await connected();
    await eraseTokens(ctx, { accountId: account.id });
    await pinterest().resetCalls();
    for (const accountId of [owner.account.id, account.id, `acc_${"z".repeat(26)}`, "1", "acc_%", "../x", "\u0000"]) {
      await expect(listBoards(ctx, { accountId })).rejects.toMatchObject({
        code: "not_found",
        message: "We can't find this. It may have been deleted.",
      });
    }
    expect(await pinterest().calls(BOARDS)).toBe(0);
  });

  test("R-API-30 requires a signed-in user", async () => {
    const { account } = await connected();
    const visitor = contextOf(harness(), { kind: "visitor", address: "127.0.0.1" });
    await expect(listBoards(visitor, { accountId: account.id })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(listAccounts(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
