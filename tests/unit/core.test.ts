import { describe, expect, test } from "vitest";
import { createSealer } from "#lib/core/crypto.ts";
import { AppError, ERRORS, toAppError } from "#lib/core/errors.ts";
import { createId, ID_PREFIX, isId } from "#lib/core/ids.ts";
import { createWideEvent, onWideEvent, writeEvent } from "#lib/core/log.ts";
import { httpUrl, loginPath, safePath } from "#lib/core/paths.ts";
import { slugOf } from "#lib/core/text.ts";
import { formatDateTime, isTimeZone, monthKey, nextMonthStart } from "#lib/core/time.ts";
import { parseEnv } from "#lib/env.ts";
import { plannedPath } from "#lib/features/pins/constants.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { createSecrets } from "#scripts/settings-file.ts";
import { fc } from "#tests/support/properties.ts";

const KEY_A = "a1".repeat(32);
const KEY_B = "b2".repeat(32);

describe("ids", () => {
  test("carry their kind, sort by time and are distinct", () => {
    const early = createId("pin", new Date("2026-01-01T00:00:00Z"));
    const late = createId("pin", new Date("2026-01-01T00:00:01Z"));
    expect(early < late).toBe(true);
    expect(isId("pin", early)).toBe(true);
    expect(isId("account", early)).toBe(false);
    expect(isId("pin", `${early}x`)).toBe(false);
    expect(new Set(Object.values(ID_PREFIX)).size).toBe(Object.keys(ID_PREFIX).length);
  });
});

describe("sealed secrets (R-SRV-05)", () => {
  test("decrypt to the original, never encrypt alike twice, and older keys still work", () => {
    fc.assert(
      fc.property(fc.string(), (plain) => {
        const sealed = createSealer([KEY_A]).seal(plain);
        expect(createSealer([KEY_B, KEY_A]).open(sealed)).toBe(plain);
        expect(createSealer([KEY_A]).seal(plain)).not.toBe(sealed);
      }),
      { numRuns: 30 },
    );
  });

  test("refuses altered texts and unknown keys", () => {
    const sealed = createSealer([KEY_A]).seal("pina_secret");
    const parts = sealed.split(".");
    const cipher = parts[4] ?? "";
    parts[4] = (cipher.startsWith("A") ? "B" : "A") + cipher.slice(1);
    expect(() => createSealer([KEY_A]).open(parts.join("."))).toThrow();
    expect(() => createSealer([KEY_B]).open(sealed)).toThrow("unknown key");
  });
});

describe("times", () => {
  test("R-POST-08 English short month with time, in the user's zone", () => {
    expect(formatDateTime("2026-11-20T15:04:00Z", "UTC")).toBe("Nov 20, 2026, 3:04 PM");
    expect(formatDateTime("2026-11-20T23:30:00Z", "Asia/Kathmandu")).toBe("Nov 21, 2026, 5:15 AM");
  });

  test("R-SRV-06 months are counted in UTC, and zones are checked", () => {
    expect(monthKey(new Date("2026-11-30T23:59:59.999Z"))).toBe("2026-11");
    expect(nextMonthStart(new Date("2026-12-31T00:00:00Z")).toISOString()).toBe("2027-01-01T00:00:00.000Z");
    expect([isTimeZone("Europe/London"), isTimeZone("Mars/Olympus")]).toEqual([true, false]);
  });
});

describe("errors and events", () => {
  test("hides the message of an unknown error", () => {
    const error = toAppError(new Error("relation users does not exist"));
    expect([error.code, error.message, error.status]).toEqual(["internal", ERRORS.internal.text, 500]);
    expect(toAppError(new AppError("not_found")).code).toBe("not_found");
  });

  test("an event drops secrets, even if the types were bypassed", () => {
    const event = createWideEvent(
      Object({ user_id: "usr_1", accessToken: "pina_x", password: "p", api_key: "k", email: "a@b.c" }),
    );
    event.count("pinterest_board_checks");
    event.count("pinterest_board_checks");
    expect(event.fields()).toEqual({ user_id: "usr_1", pinterest_board_checks: 2 });
  });

  test("subscribers receive each event until they unsubscribe", () => {
    const heard: unknown[] = [];
    const leave = onWideEvent((fields) => heard.push(fields));
    writeEvent(createWideEvent({ job: "first" }));
    leave();
    writeEvent(createWideEvent({ job: "second" }));
    expect(heard).toEqual([{ job: "first" }]);
  });
});

test("only http and https URLs are links", () => {
  expect(httpUrl("https://example.com/a b")).toBe("https://example.com/a%20b");
  expect(["javascript:alert(1)", "data:text/html,x", "ftp://x.y", "example.com", ""].map(httpUrl)).toEqual(
    Array(5).fill(null),
  );
});

test("A-01 the product's name becomes a slug", () => {
  expect(["Evertack", "Fir & Needle", "  Été 24  "].map(slugOf)).toEqual(["evertack", "fir-needle", "ete-24"]);
});

describe("settings", () => {
  const complete = {
    APP_URL: "http://localhost:3000",
    DATABASE_URL: "postgres://u:p@127.0.0.1:5432/x",
    AUTH_SECRET: "x".repeat(40),
    ENCRYPTION_KEY: `${KEY_A},${KEY_B}`,
    PINTEREST_APP_ID: "1",
    PINTEREST_APP_SECRET: "s",
    OPENAI_API_KEY: "k",
    SMTP_URL: "smtp://127.0.0.1:25",
    MAIL_FROM: "A <a@example.com>",
    STORAGE_URL: "file:.data/storage",
    INNGEST_EVENT_KEY: "e",
    INNGEST_SIGNING_KEY: "signkey-local-abcd",
    PADDLE_API_KEY: "pdl_key",
    PADDLE_CLIENT_TOKEN: "live_token",
    PADDLE_WEBHOOK_SECRET: "pdl_ntfset_new,pdl_ntfset_old",
    PADDLE_PRICES: JSON.stringify(sandboxPrices()),
  };

  test("R-PAY-01 each of the 31 prices has its own id, and problems are named", () => {
    const { PADDLE_PRICES: prices, PADDLE_WEBHOOK_SECRET: secrets } = parseEnv(complete);
    expect(Object.keys(prices)).toHaveLength(31);
    expect(secrets).toEqual(["pdl_ntfset_new", "pdl_ntfset_old"]);
    const { "plan:pro": _pro, "pack:free:100": _pack, ...some } = sandboxPrices();
    const withPrices = (value: unknown) => ({ ...complete, PADDLE_PRICES: JSON.stringify(value) });
    expect(() => parseEnv(withPrices(some))).toThrow(/PADDLE_PRICES: is missing plan:pro, pack:free:100/);
    expect(() => parseEnv(withPrices({ ...sandboxPrices(), "plan:pro": "price_1" }))).toThrow(/PADDLE_PRICES/);
    const replaced = { ...sandboxPrices(), "plan:pro": [`pri_${"9".repeat(26)}`, sandboxPrices()["plan:pro"]] };
    expect(parseEnv(withPrices(replaced)).PADDLE_PRICES).toMatchObject({
      "plan:basic": [sandboxPrices()["plan:basic"]],
      "plan:pro": replaced["plan:pro"],
    });
    expect(() => parseEnv(withPrices({ ...sandboxPrices(), "plan:pro": [] }))).toThrow(/PADDLE_PRICES/);
    const twice = { ...sandboxPrices(), "plan:pro": sandboxPrices()["plan:basic"] };
    expect(() => parseEnv(withPrices(twice))).toThrow(/PADDLE_PRICES: lists the same price twice/);
    const again = { ...replaced, "plan:basic": replaced["plan:pro"] };
    expect(() => parseEnv(withPrices(again))).toThrow(/PADDLE_PRICES: lists the same price twice/);
    expect(() => parseEnv({ ...complete, PADDLE_PRICES: "{" })).toThrow(/PADDLE_PRICES: must be JSON/);
  });

  test("reads a complete set, with defaults", () => {
    expect(parseEnv(complete)).toMatchObject({
      PIN_CANVAS: "1080x1680",
      RATE_LIMIT_FACTOR: 1,
      CORS_ORIGINS: [],
      PRODUCT_NAME: "Evertack",
    });
  });

  test("names everything that is missing at once", () => {
    const { SMTP_URL: _email, OPENAI_API_KEY: _key, ...rest } = complete;
    expect(() => parseEnv(rest)).toThrow(/OPENAI_API_KEY[\s\S]*SMTP_URL/);
    expect(() => parseEnv({ ...complete, ENCRYPTION_KEY: "short" })).toThrow(/ENCRYPTION_KEY.*64 hexadecimal/);
  });

  test.each([
    ["a stand-in", { SANDBOX_SERVICES: "pinterest" }],
    ["generated secrets", { GENERATED_SECRETS: "1" }],
  ])("production refuses %s unless it is allowed", (_what, more) => {
    const { PADDLE_API_KEY: _key, PADDLE_CLIENT_TOKEN: _token, ...secrets } = createSecrets();
    const production = { ...complete, ...secrets, APP_URL: "https://evertack.example", ...more };
    expect(() => parseEnv(production)).toThrow(/ALLOW_SANDBOX=1/);
    expect(parseEnv({ ...production, ALLOW_SANDBOX: "1" }).APP_URL).toBe("https://evertack.example");
    expect(parseEnv({ ...complete, ...more }).APP_URL).toBe("http://localhost:3000");
  });

  test("refuses INNGEST_DEV everywhere, because it turns off signatures", () => {
    expect(() => parseEnv({ ...complete, INNGEST_DEV: "1" })).toThrow(/INNGEST_DEV/);
  });
});

test("the login page leads back to a page, unless its URL is too long for a header", () => {
  const path = "/app/calendar?view=week&date=2026-11-28";
  const { pathname, searchParams } = new URL(loginPath(path), "https://example.com");
  expect([pathname, searchParams.get("next")]).toEqual(["/login", path]);
  expect(safePath(searchParams.get("next"))).toBe(path);
  for (const long of ["(".repeat(15_000), "(".repeat(4_096), "%20".repeat(1_300)]) {
    expect(loginPath(`/app?q=${long}`)).toBe("/login");
  }
  expect(loginPath(null)).toBe("/login");
});

test("a signed-out user comes back to an assistant's plan of 100 pins and to an app's request", () => {
  const ids = Array.from({ length: 100 }, (_, at) => `pin_${String(at).padStart(26, "0")}`);
  const plan = plannedPath(`acc_${"0".repeat(26)}`, ids, {
    start: "2027-01-31T09:00:00+01:00",
    intervalMinutes: 43_200,
  });
  const consent = `/app/connect?${new URLSearchParams({ scope: "x".repeat(500), state: "&".repeat(1_000) })}`;
  for (const path of [plan, consent]) {
    const login = loginPath(path);
    expect(safePath(new URL(login, "https://example.com").searchParams.get("next"))).toBe(path);
    expect(login.length).toBeLessThan(6_100);
  }
});
