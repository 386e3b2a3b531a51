import { hash } from "node:crypto";
import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { apiKeys, oauthClients, oauthCodes } from "#db/schema/api-keys.ts";
import { users } from "#db/schema/identity.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { addMs, DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { findKey } from "#lib/features/api-keys/authentication.ts";
import { KEYS_MAX } from "#lib/features/api-keys/constants.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "#lib/features/api-keys/keys.ts";
import { countSpending } from "#lib/features/api-keys/spending.ts";
import { listSecurityEvents } from "#lib/features/identity/security-log.ts";
import { approveApp, readAuthorization } from "#lib/features/oauth/authorization.ts";
import { registerClient } from "#lib/features/oauth/clients.ts";
import { ACCESS_LIFETIME_MS, GRANT_LIFETIME_MS, REFRESH_REPEAT_MS, TEXTS } from "#lib/features/oauth/constants.ts";
import { grantTokens, revokeToken } from "#lib/features/oauth/grants.ts";
import type { TokenOutcome, Tokens } from "#lib/features/oauth/schema.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { withFreshLogin } from "#tests/support/context.ts";
import { generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const insertOwner = async (): Promise<FullCtx> => {
  const { ctx, userId } = await setup.insertCreator();
  await ctx.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, userId));
  return withFreshLogin(ctx);
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => String(Object(error).code),
  );

/** A context whose transactions run at another time. */
const at = (ctx: FullCtx, ms: number): FullCtx => ({ ...ctx, now: () => addMs(new Date(), ms) });

const VERIFIER = "v".repeat(43);
const REDIRECT = "https://app.example/callback";
const CHALLENGE = hash("sha256", VERIFIER, "base64url");

interface App {
  clientId: string;
  query: Record<string, string>;
}

const register = async (ctx: FullCtx, redirect = REDIRECT): Promise<App> => {
  const { client_id } = await registerClient(ctx, { client_name: "Helper", redirect_uris: [redirect] });
  const query = {
    ...{ client_id, redirect_uri: redirect, response_type: "code", state: "s 1" },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256", scope: "pins:read pins:write offline_access" },
  };
  return { clientId: client_id, query };
};

const approve = async (ctx: FullCtx, { query }: App): Promise<string> => {
  const { url } = await approveApp(ctx, { query, scopes: ["pins:read"], dailyCredits: 5 });
  return new URL(url).searchParams.get("code") ?? "";
};

const exchange = (ctx: FullCtx, { clientId, query }: App, code: string, more: object = {}): Promise<TokenOutcome> =>
  grantTokens(ctx, {
    grant_type: "authorization_code",
    ...{ code, client_id: clientId, redirect_uri: query.redirect_uri ?? "", code_verifier: VERIFIER, ...more },
  });

const refresh = (ctx: FullCtx, { clientId }: App, token: string, more: object = {}): Promise<TokenOutcome> =>
  grantTokens(ctx, { grant_type: "refresh_token", refresh_token: token, client_id: clientId, ...more });

const tokensOf = (outcome: TokenOutcome): Tokens => {
  if (!("tokens" in outcome)) throw new Error(`${outcome.error}: ${outcome.description}`);
  return outcome.tokens;
};

const errorOf = (outcome: TokenOutcome): string => ("error" in outcome ? outcome.error : "none");

const connect = async (ctx: FullCtx): Promise<{ app: App; tokens: Tokens }> => {
  const app = await register(ctx);
  return { app, tokens: tokensOf(await exchange(ctx, app, await approve(ctx, app))) };
};

const stateOfKey = async (ctx: FullCtx, { access_token }: Tokens) => (await findKey(ctx, access_token))?.state;

const spend = async (ctx: FullCtx, { access_token }: Tokens, credits: number): Promise<void> => {
  const key = await findKey(ctx, access_token);
  if (!key) throw new Error("There is no such key");
  const actor = { kind: "key", userId: key.userId, keyId: key.id, address: "" } as const;
  await inTransaction({ ...ctx, actor }, (tx) => countSpending(tx, credits));
};

describe("the consent", () => {
  test("takes a code to the app, which gets what the user chose, once", async () => {
    const ctx = await insertOwner();
    const app = await register(ctx);
    const { url } = await approveApp(ctx, { query: app.query, scopes: ["pins:read"], dailyCredits: 5 });
    const back = new URL(url);
    expect([back.origin + back.pathname, back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual([
      REDIRECT,
      "s 1",
      ctx.settings.appUrl,
    ]);
    const code = back.searchParams.get("code") ?? "";
    const tokens = tokensOf(await exchange(ctx, app, code));
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "pins:read" });
    const found = await findKey(ctx, tokens.access_token);
    expect(found).toMatchObject({ scopes: ["pins:read"], state: "active", audience: "mcp" });
    expect(await findKey(ctx, tokens.refresh_token)).toBeNull();
    expect(await listKeys(ctx)).toMatchObject([{ name: "Helper", isApp: true, dailyCredits: 5 }]);
    expect(await listSecurityEvents(ctx)).toMatchObject([{ kind: "app_connected", detail: "Helper" }]);
    const stored = JSON.stringify([await ctx.db.select().from(apiKeys), await ctx.db.select().from(oauthCodes)]);
    for (const secret of [code, tokens.refresh_token]) expect(stored).not.toContain(secret);
    expect(stored).not.toContain(tokens.access_token.slice(14));
  });

  test("a second use of a code ends the access, since someone has a copy", async () => {
    const ctx = await insertOwner();
    const app = await register(ctx);
    const code = await approve(ctx, app);
    const outcomes = await Promise.all([exchange(ctx, app, code), exchange(ctx, app, code)]);
    expect(outcomes.map(errorOf).toSorted()).toEqual(["invalid_grant", "none"]);
    const tokens = tokensOf(
      outcomes.find((outcome) => "tokens" in outcome) ?? { error: "invalid_grant", description: "" },
    );
    expect(await stateOfKey(ctx, tokens)).toBe("revoked");
    expect(errorOf(await refresh(ctx, app, tokens.refresh_token))).toBe("invalid_grant");
  });

  test.each([
    ["another redirect URI", { redirect_uri: "https://app.example/other" }],
    ["a wrong verifier", { code_verifier: "w".repeat(43) }],
  ])("a code is worth nothing to %s, and is used up", async (_, more) => {
    const ctx = await insertOwner();
    const app = await register(ctx);
    const code = await approve(ctx, app);
    expect(errorOf(await exchange(ctx, app, code, more))).toBe("invalid_grant");
    expect(errorOf(await exchange(ctx, app, code))).toBe("invalid_grant");
    expect(await listKeys(ctx)).toEqual([]);
  });

  test("an app that isn't registered is told to register, and another app gets nothing", async () => {
    const ctx = await insertOwner();
    const [app, other] = [await register(ctx), await register(ctx)];
    const code = await approve(ctx, app);
    const unknown = { clientId: "ocl_00000000000000000000000000", query: app.query };
    expect(errorOf(await exchange(ctx, unknown, code))).toBe("invalid_client");
    expect(errorOf(await exchange(ctx, { ...other, query: app.query }, code))).toBe("invalid_grant");
    expect(errorOf(await exchange(ctx, app, code))).toBe("invalid_grant");
  });

  test("an expired code and an unknown one are refused, and so is another resource", async () => {
    const ctx = await insertOwner();
    const app = await register(ctx);
    const code = await approve(ctx, app);
    expect(errorOf(await exchange(ctx, app, "unknown"))).toBe("invalid_grant");
    const resource = `${ctx.settings.appUrl}/api/v1`;
    expect(errorOf(await exchange(ctx, app, code, { resource }))).toBe("invalid_target");
    await ctx.db.update(oauthCodes).set({ expiresAt: addMs(new Date(), -SECOND_MS) });
    expect(errorOf(await exchange(ctx, app, code))).toBe("invalid_grant");
  });

  test("needs a fresh sign-in, a confirmed address, chosen permissions, and room in the plan", async () => {
    const { ctx } = await setup.insertCreator();
    const app = await register(ctx);
    const input = { query: app.query, scopes: ["pins:read" as const], dailyCredits: 5 };
    expect(await codeOf(approveApp(ctx, input))).toBe("confirm_identity");
    expect(await codeOf(approveApp(await withFreshLogin(ctx), input))).toBe("wrong_state");
    const owner = await insertOwner();
    expect(await codeOf(approveApp(owner, { ...input, scopes: ["credits:read"] }))).toBe("invalid");
    const key = { name: "Script", scopes: ["pins:read" as const], dailyCredits: null, lifetimeDays: null };
    for (let n = 0; n < KEYS_MAX.free; n++) await createKey(owner, key);
    expect(await codeOf(approveApp(owner, input))).toBe("plan_limit");
  });

  test("an app that asks again replaces its access, and several apps share the plan's limit", async () => {
    const ctx = await insertOwner();
    const { app, tokens } = await connect(ctx);
    await spend(ctx, tokens, 4);
    const again = tokensOf(await exchange(ctx, app, await approve(ctx, app)));
    // What was spent today counts on.
    expect(await codeOf(spend(ctx, again, 2))).toBe("key_limit");
    await spend(ctx, again, 1);
    const third = tokensOf(await exchange(ctx, app, await approve(ctx, app)));
    expect(await codeOf(spend(ctx, third, 1))).toBe("key_limit");
    // A request that began before the key was replaced.
    expect(await codeOf(spend(ctx, again, 1))).toBe("invalid_key");
    const states = await Promise.all([tokens, again, third].map((one) => stateOfKey(ctx, one)));
    expect(states).toEqual(["revoked", "revoked", "active"]);
    const others = await Promise.all([register(ctx), register(ctx)]);
    const codes = [await approve(ctx, others[0]), await approve(ctx, others[1])] as const;
    const outcomes = [await exchange(ctx, others[0], codes[0]), await exchange(ctx, others[1], codes[1])];
    expect(outcomes.map(errorOf)).toEqual(["none", "invalid_grant"]);
  });
});

describe("requests of apps", () => {
  test("without an address to go back to, the user stays", async () => {
    const ctx = await insertOwner();
    const { query } = await register(ctx);
    const texts = await Promise.all(
      [{ ...query, client_id: "x" }, { ...query, redirect_uri: "https://evil.example/callback" }, {}].map((one) =>
        readAuthorization(ctx, one),
      ),
    );
    expect(texts).toEqual([
      { kind: "broken", text: TEXTS.unknownClient },
      { kind: "broken", text: TEXTS.wrongRedirect },
      { kind: "broken", text: TEXTS.unknownClient },
    ]);
  });

  test.each([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ resource: "https://evil.example/mcp" }, "invalid_target"],
    [{ scope: "schedule:write openid" }, "invalid_scope"],
    [{ state: "s".repeat(2_001) }, "invalid_request"],
  ])("%j is refused with %s", async (more, error) => {
    const ctx = await insertOwner();
    const { query } = await register(ctx);
    const read = await readAuthorization(ctx, { ...query, ...more });
    if (read.kind !== "refused") throw new Error(read.kind);
    expect(new URL(read.backUrl).searchParams.get("error")).toBe(error);
  });

  test("a program on this computer may use any port", async () => {
    const ctx = await insertOwner();
    const { query } = await register(ctx, "http://127.0.0.1:3000/callback");
    const read = await readAuthorization(ctx, { ...query, redirect_uri: "http://127.0.0.1:50123/callback" });
    expect(read.kind).toBe("request");
  });
});

describe("tokens", () => {
  test("expire after an hour, and are refreshed for 90 days after the last time", async () => {
    const ctx = await insertOwner();
    const { app, tokens } = await connect(ctx);
    const isOver = ACCESS_LIFETIME_MS + SECOND_MS;
    expect(await setup.harness.later(isOver, () => stateOfKey(ctx, tokens))).toBe("expired");
    const next = tokensOf(await refresh(ctx, app, tokens.refresh_token));
    expect([await findKey(ctx, tokens.access_token), await stateOfKey(ctx, next)]).toEqual([null, "active"]);
    expect(await listKeys(at(ctx, GRANT_LIFETIME_MS - MINUTE_MS))).toMatchObject([{ state: "active" }]);
    await ctx.db.update(apiKeys).set({ expiresAt: addMs(new Date(), -SECOND_MS) });
    expect(errorOf(await refresh(ctx, app, next.refresh_token))).toBe("invalid_grant");
  });

  test("a refresh that is repeated, or runs twice at once, gives the same tokens", async () => {
    const ctx = await insertOwner();
    const { app, tokens } = await connect(ctx);
    const outcomes = await Promise.all([
      refresh(ctx, app, tokens.refresh_token),
      refresh(ctx, app, tokens.refresh_token),
    ]);
    const [first, second] = outcomes.map(tokensOf);
    const third = tokensOf(await refresh(ctx, app, tokens.refresh_token));
    expect([second, third].map((one) => [one?.access_token, one?.refresh_token])).toEqual([
      [first?.access_token, first?.refresh_token],
      [first?.access_token, first?.refresh_token],
    ]);
    expect(await stateOfKey(ctx, third)).toBe("active");
    expect(tokensOf(await refresh(ctx, app, third.refresh_token)).refresh_token).not.toBe(third.refresh_token);
  });

  test("an old refresh token ends the access: the one before after two minutes, an older one at once", async () => {
    const ctx = await insertOwner();
    const late = await connect(ctx);
    const next = tokensOf(await refresh(ctx, late.app, late.tokens.refresh_token));
    await ctx.db.update(apiKeys).set({ rotatedAt: addMs(new Date(), -REFRESH_REPEAT_MS - SECOND_MS) });
    expect(errorOf(await refresh(ctx, late.app, late.tokens.refresh_token))).toBe("invalid_grant");
    expect(await stateOfKey(ctx, next)).toBe("revoked");
    expect((await listSecurityEvents(ctx))[0]).toMatchObject({ kind: "app_disconnected", detail: "Helper" });

    const older = await connect(ctx);
    const second = tokensOf(await refresh(ctx, older.app, older.tokens.refresh_token));
    const third = tokensOf(await refresh(ctx, older.app, second.refresh_token));
    expect(errorOf(await refresh(ctx, older.app, older.tokens.refresh_token))).toBe("invalid_grant");
    expect(await stateOfKey(ctx, third)).toBe("revoked");
  });

  test("a made-up refresh token ends nothing", async () => {
    const ctx = await insertOwner();
    const { app, tokens } = await connect(ctx);
    const [id = "", nonce = ""] = tokens.refresh_token.split(".");
    for (const made of [`${id}.x.y`, `${id}.${nonce}.x`, id, "", ".."]) {
      expect([made, errorOf(await refresh(ctx, app, made))]).toEqual([made, "invalid_grant"]);
    }
    expect(await stateOfKey(ctx, tokens)).toBe("active");
  });

  test("belong to their app and its permissions", async () => {
    const ctx = await insertOwner();
    const { app, tokens } = await connect(ctx);
    const other = await register(ctx);
    expect(errorOf(await refresh(ctx, other, tokens.refresh_token))).toBe("invalid_grant");
    expect(errorOf(await refresh(ctx, app, tokens.refresh_token, { scope: "pins:read pins:write" }))).toBe(
      "invalid_scope",
    );
    expect(errorOf(await refresh(ctx, app, tokens.refresh_token, { scope: "pins:read" }))).toBe("none");
  });

  test("the user, the app, and the deletion of the account end them", async () => {
    const ctx = await insertOwner();
    const first = await connect(ctx);
    const [{ id: keyId = "" } = {}] = await listKeys(ctx);
    expect(await codeOf(rotateKey(ctx, { keyId }))).toBe("not_found");
    await revokeKey(ctx, { keyId });
    expect(await stateOfKey(ctx, first.tokens)).toBe("revoked");
    expect(errorOf(await refresh(ctx, first.app, first.tokens.refresh_token))).toBe("invalid_grant");

    const second = await connect(ctx);
    await revokeToken(ctx, { token: second.tokens.refresh_token, client_id: first.app.clientId });
    expect(await stateOfKey(ctx, second.tokens)).toBe("active");
    await revokeToken(ctx, { token: second.tokens.access_token });
    expect(await stateOfKey(ctx, second.tokens)).toBe("revoked");
    await revokeToken(ctx, { token: "unknown" });

    const third = await connect(ctx);
    await ctx.db.update(users).set({ closedAt: new Date() });
    expect(await findKey(ctx, third.tokens.access_token)).toBeNull();
    expect(errorOf(await refresh(ctx, third.app, third.tokens.refresh_token))).toBe("invalid_grant");
  });

  test("a key of the user isn't ended by an app's call", async () => {
    const ctx = await insertOwner();
    const { secret } = await createKey(ctx, {
      name: "S",
      scopes: ["pins:read"],
      dailyCredits: null,
      lifetimeDays: null,
    });
    await revokeToken(ctx, { token: secret });
    expect((await findKey(ctx, secret))?.state).toBe("active");
  });
});

test("consents and unused apps are deleted in time, but no app that has access", async () => {
  const ctx = await insertOwner();
  const { app } = await connect(ctx);
  const unused = await register(ctx);
  const consented = await register(ctx);
  await approve(ctx, consented);
  const old = [app, unused, consented].map(({ clientId }) => clientId);
  const longAgo = { lastUsedAt: addMs(new Date(), -181 * DAY_MS) };
  const isOld = inArray(oauthClients.id, old as (typeof oauthClients.$inferSelect.id)[]);
  await ctx.db.update(oauthClients).set(longAgo).where(isOld);
  const findOld = async () =>
    (await ctx.db.select({ id: oauthClients.id }).from(oauthClients).where(isOld)).map(({ id }) => id);
  const job = setup.job();
  await RETENTION_RULES["oauth-clients"](job);
  expect(new Set(await findOld())).toEqual(new Set([app.clientId, consented.clientId]));
  await ctx.db.update(oauthCodes).set({ expiresAt: addMs(new Date(), -2 * DAY_MS) });
  await RETENTION_RULES["app-consents"](job);
  expect(await ctx.db.$count(oauthCodes)).toBe(0);
  await RETENTION_RULES["oauth-clients"](job);
  expect(await findOld()).toEqual([app.clientId]);
});
