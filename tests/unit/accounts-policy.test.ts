import { describe, expect, test } from "vitest";
import { AppError } from "#lib/core/errors.ts";
import { createReadCache } from "#lib/features/accounts/accounts.ts";
import { BANNER_MS, CONNECTION_FAILURES, LIVE_READ_MS, TEXTS } from "#lib/features/accounts/constants.ts";
import {
  accountLimitText,
  connectionCookieName,
  connectionFailureText,
  connectionRedirect,
  isDueForRefresh,
  missingScopes,
  overLimitText,
  toProviderError,
} from "#lib/features/accounts/policy.ts";
import {
  callbackInput,
  listBoardsInput,
  removeAccountInput,
  startConnectionInput,
} from "#lib/features/accounts/schema.ts";
import { toConnectionCookie, toExpiredConnectionCookie } from "#lib/features/accounts/serializers.ts";
import { allowsAnotherAccount } from "#lib/features/billing/plans.ts";

test("R-TIME-04 a refused connection is shown for 10 s", () => {
  expect(BANNER_MS).toBe(10_000);
});

describe("limits", () => {
  test.each([
    ["free", 1, "Your Free plan allows 1 connected Pinterest account(s). Upgrade to connect more."],
    ["basic", 3, "Your Basic plan allows 3 connected Pinterest account(s). Upgrade to connect more."],
    ["growth", 5, "Your Growth plan allows 5 connected Pinterest account(s). Upgrade to connect more."],
    ["pro", 7, "Your Pro plan allows 7 connected Pinterest account(s). Upgrade to connect more."],
  ] as const)("R-ACC-12 R-CONST-05 A-89 %s allows %i", (plan, limit, text) => {
    expect([allowsAnotherAccount(plan, limit - 1), allowsAnotherAccount(plan, limit)]).toEqual([true, false]);
    expect(allowsAnotherAccount(plan, limit + 2)).toBe(false);
    expect(accountLimitText(plan)).toBe(text);
    expect([overLimitText(plan, limit), overLimitText(plan, limit + 1) === null]).toEqual([null, false]);
  });

  test("A-90 after a downgrade the notice says that nothing is removed", () => {
    expect(overLimitText("free", 3)).toBe(
      "You have 3 connected accounts, and your Free plan includes 1. They'll all keep working, but you can't connect another until you remove some or upgrade.",
    );
  });
});

describe("the redirect from Pinterest", () => {
  test("A-86 A-87 success and failure redirect to the accounts screen", () => {
    expect(connectionRedirect({ kind: "connected" })).toBe("/app/?success=1");
    expect(connectionRedirect({ kind: "failed", reason: "denied" })).toBe("/app/?error=denied");
  });

  test("A-87 unknown values are never shown", () => {
    expect(connectionFailureText("limit")).toBe(CONNECTION_FAILURES.limit);
    for (const value of ["<b>x</b>", "", "toString", "__proto__", "constructor"]) {
      expect(connectionFailureText(value)).toBe(CONNECTION_FAILURES.failed);
    }
  });

  test("R-ACC-08 R-ERR-07 R-ERR-08 R-BRD-05 R-ACC-03 literal texts", () => {
    expect(TEXTS).toMatchObject({
      connected: "Pinterest account connected successfully!",
      loadFailed: "Failed to fetch Pinterest accounts",
      boardsFailed: "Failed to fetch boards",
      noBoards: "No boards",
      confirmRemove: "Are you sure you want to remove this account?",
    });
  });

  test("A-86 secret permissions are optional", () => {
    const five = ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"];
    expect(missingScopes(five)).toEqual([]);
    expect(missingScopes(["boards:read", "pins:read"])).toEqual(["boards:write", "pins:write", "user_accounts:read"]);
  });
});

describe("the cookie of a consent", () => {
  const started = { authUrl: "", state: "abcDEF-_0123456.sig", browserSecret: "s3cret" };

  test("A-86 is Lax, HttpOnly, short-lived and Secure on https", () => {
    const parts = toConnectionCookie(started, "https://app.test").split("; ");
    expect(parts).toEqual([
      "pinterest_connect_abcDEF-_0123=s3cret",
      "Path=/api/users/pinterest",
      "Max-Age=600",
      "HttpOnly",
      "SameSite=Lax",
      "Secure",
    ]);
    expect(toConnectionCookie(started, "http://localhost:3000")).not.toContain("Secure");
    expect(toExpiredConnectionCookie(started.state, "http://localhost:3000")).toMatch(
      /^pinterest_connect_abcDEF-_0123=; .*Max-Age=0;/,
    );
  });

  test("A-86 its name contains only safe characters", () => {
    expect(connectionCookieName('a;b=c\r\n"x, ü')).toBe("pinterest_connect_abcx");
  });
});

describe("input", () => {
  test("A-86 an unusable callback parameter counts as missing", () => {
    const input = { state: "s".repeat(2_000), code: "", error: ["a"] };
    expect(callbackInput.parse(input)).toEqual({ state: undefined, code: undefined, error: undefined });
    expect(callbackInput.parse({ state: "s", code: "c", more: 1 })).toMatchObject({ state: "s", code: "c" });
  });

  test("R-API-06 R-API-07 R-API-08 ids are short texts", () => {
    expect(removeAccountInput.parse({ accountId: "acc_1", userId: "x" })).toEqual({ accountId: "acc_1" });
    for (const accountId of [undefined, null, 7, {}, [], "", "x".repeat(101)]) {
      expect(removeAccountInput.safeParse({ accountId }).success).toBe(false);
      expect(listBoardsInput.safeParse({ accountId }).success).toBe(false);
    }
    expect(startConnectionInput.parse({})).toEqual({});
    expect(startConnectionInput.parse({ account_id: "acc_1" })).toEqual({ accountId: "acc_1" });
    expect(startConnectionInput.safeParse({ account_id: "" }).success).toBe(false);
  });
});

describe("tokens and problems", () => {
  test("R-SRV-05 tokens are due for renewal 24 hours before expiry", () => {
    const expiresAt = new Date("2026-11-21T12:00:00Z");
    expect(isDueForRefresh(expiresAt, new Date("2026-11-20T11:59:59.999Z"))).toBe(false);
    expect(isDueForRefresh(expiresAt, new Date("2026-11-20T12:00:00Z"))).toBe(true);
  });

  test.each([
    ["token_dead", "reconnect_needed"],
    ["missing_scope", "reconnect_needed"],
    ["not_found", "not_found"],
    ["rate_limited", "provider_unavailable"],
    ["busy", "provider_unavailable"],
    ["unavailable", "provider_unavailable"],
    ["rejected", "refused"],
    ["spam_block", "refused"],
    ["trial_access", "refused"],
  ] as const)("R-BRD-06 %s becomes %s with our text", (kind, code) => {
    const error = toProviderError({ kind, text: "Our words.", retryAfterSeconds: 9, providerMessage: "Theirs." });
    expect(error).toBeInstanceOf(AppError);
    expect([error.code, error.message]).toEqual([code, "Our words."]);
    expect(error.retryAfterSeconds).toBe(code === "provider_unavailable" ? 9 : undefined);
  });
});

describe("live reads", () => {
  const clock = (ms: number) => ({ now: () => new Date(ms) });

  test("R-ACC-01 are cached just under a minute, failures not at all", async () => {
    const reads = createReadCache<number>();
    let calls = 0;
    const load = async () => {
      calls += 1;
      if (calls === 1) throw new Error("down");
      return calls;
    };
    await expect(reads.read(clock(0), "a", load)).rejects.toThrow("down");
    expect(await reads.read(clock(0), "a", load)).toBe(2);
    expect(await reads.read(clock(LIVE_READ_MS - 1), "a", load)).toBe(2);
    expect(await reads.read(clock(LIVE_READ_MS - 1), "b", load)).toBe(3);
    expect(await reads.read(clock(LIVE_READ_MS), "a", load)).toBe(4);
  });

  test("R-ACC-01 are bounded; the oldest entry is evicted", async () => {
    const reads = createReadCache<string>();
    const load = (text: string) => async () => text;
    await reads.read(clock(0), "first", load("old"));
    for (let n = 0; n < 500; n += 1) await reads.read(clock(0), `account ${n}`, load("x"));
    expect(await reads.read(clock(0), "first", load("new"))).toBe("new");
    expect(await reads.read(clock(0), "account 499", load("y"))).toBe("x");
  });
});
