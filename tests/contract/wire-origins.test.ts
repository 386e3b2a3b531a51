import { beforeAll, describe, expect, inject, test } from "vitest";
import { type AppClient, clientOf } from "#tests/support/app-client.ts";
import {
  appForFile,
  bearer,
  browserHeaders,
  CSRF,
  errorBody,
  logIn,
  newPerson,
  openSession,
  type Session,
  sessionCookieIn,
} from "./wire-harness.ts";

const PARTNER = "https://partner.example";
const ACCOUNTS = "/api/users/pinterest/accounts/";
const app = appForFile({ CORS_ORIGINS: PARTNER });

let session: Session;
let accountId: string;

beforeAll(async () => {
  session = await openSession(app());
  const user: Awaited<ReturnType<AppClient["signUp"]>> = {
    email: session.person.email,
    token: session.token,
    call: (path, options = {}) =>
      app().callApp(path, { ...options, headers: { ...bearer(session.token), ...options.headers } }),
  };
  accountId = (await app().connectOverHttp(user)).id;
}, 120_000);

const accountsOf = async () => Object((await app().callApp(ACCOUNTS, { headers: bearer(session.token) })).json);

/** Calls that would change something if they went through. */
const CHANGES = () => [
  { path: ACCOUNTS, method: "PUT", body: { accountId } },
  {
    path: "/api/users/pinterest/generate-pins/",
    method: "POST",
    body: { pinterest_account: accountId, board_id: "1", quality: "high", keyword_data: [{ keyword: "a" }] },
  },
  { path: "/api/users/pinterest/batch-publish-pins/", method: "POST", body: { post_ids: ["a"], interval_minutes: 1 } },
  { path: "/api/users/verify-email/resend/", method: "POST", body: {} },
  { path: "/api/auth/exchange/", method: "POST", body: {} },
  { path: "/api/auth/logout/", method: "POST", body: {} },
];

describe("R-API-32 unsafe calls by cookie", () => {
  const refused: Record<string, (good: Record<string, string>) => Record<string, string>> = {
    "no CSRF header": ({ "x-csrftoken": _, ...rest }) => rest,
    "an empty CSRF header": (good) => ({ ...good, "x-csrftoken": "" }),
    "a wrong CSRF header": (good) => ({ ...good, "x-csrftoken": `${CSRF}x` }),
    "no CSRF cookie": (good) => ({ ...good, cookie: session.cookie }),
    "an empty CSRF cookie and header": (good) => ({
      ...good,
      cookie: `${session.cookie}; csrftoken=`,
      "x-csrftoken": "",
    }),
    "no Origin": ({ origin: _, ...rest }) => rest,
    "a foreign Origin": (good) => ({ ...good, origin: "https://evil.example" }),
    "an Origin that is null": (good) => ({ ...good, origin: "null" }),
    "an Origin that begins like ours": (good) => ({ ...good, origin: `${app().baseUrl}.evil.example` }),
    "an Origin that ends like the partner's": (good) => ({ ...good, origin: "https://evilpartner.example" }),
    "the partner without TLS": (good) => ({ ...good, origin: "http://partner.example" }),
    "an Origin with a user's name": (good) => ({ ...good, origin: "https://partner.example@evil.example" }),
  };

  test.each(Object.entries(refused))("R-API-32 %s: 403, and nothing changed", async (_, spoil) => {
    const headers = spoil(browserHeaders(session.cookie, app().baseUrl));
    const credits = async () => (await app().callApp("/api/users/credits/", { headers: bearer(session.token) })).json;
    const before = await credits();
    for (const { path, method, body } of CHANGES()) {
      const answer = await app().callApp(path, { method, body, headers });
      expect([path, answer.status, answer.json]).toEqual([path, 403, errorBody("csrf")]);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await accountsOf()).toMatchObject([{ id: accountId }]);
    expect(await credits()).toEqual(before);
  });

  test.each([
    ["our own Origin", () => app().baseUrl],
    ["an Origin of CORS_ORIGINS", () => PARTNER],
  ])("R-API-32 with the header and %s the call succeeds", async (_, origin) => {
    const own = await openSession(app());
    const headers = browserHeaders(own.cookie, origin());
    const exchanged = await app().callApp("/api/auth/exchange/", { method: "POST", body: {}, headers });
    expect(exchanged.status).toBe(204);
    const ended = await app().callApp("/api/auth/logout/", { method: "POST", body: {}, headers });
    expect(ended.status).toBe(204);
    expect((await app().callApp("/api/users/me/", { headers: bearer(own.token) })).status).toBe(401);
  });

  test("R-API-32 safe calls need neither header nor Origin", async () => {
    expect((await app().callApp("/api/users/me/", { headers: { cookie: session.cookie } })).status).toBe(200);
  });

  test("an Authorization header takes precedence", async () => {
    const path = "/api/users/verify-email/resend/";
    const good = browserHeaders(session.cookie, app().baseUrl);
    const dead = await app().callApp(path, { method: "POST", headers: { ...good, ...bearer("dead") } });
    expect([dead.status, dead.json]).toEqual([401, errorBody("unauthenticated")]);
    const alive = await app().callApp(path, { method: "POST", headers: bearer(session.token) });
    expect(alive.status).toBe(200);
    const both = { ...bearer(session.token), cookie: session.cookie, origin: "https://evil.example" };
    expect((await app().callApp(path, { method: "POST", headers: both })).status).toBe(200);
  });

  test("registration and login need neither, even with a valid cookie", async () => {
    const { email, password } = session.person;
    for (const headers of [{ cookie: session.cookie }, { cookie: session.cookie, ...bearer("dead") }]) {
      const login = await app().callApp("/api/users/login/", { method: "POST", body: { email, password }, headers });
      expect(login.status).toBe(200);
      expect(sessionCookieIn(login.headers)).not.toBe("");
      const registered = await app().callApp("/api/users/register/", { method: "POST", body: {}, headers });
      expect(registered.status).toBe(400);
    }
  });
});

test("R-API-32 the public API can be called from the origins of CORS_ORIGINS, uploads and edits included", async () => {
  for (const [path, method] of [
    ["/api/v1/uploads", "POST"],
    ["/api/v1/pins/pin_x", "PATCH"],
    ["/api/mcp", "POST"],
  ] as const) {
    const ask = { origin: PARTNER, "access-control-request-method": method };
    const allowed = (await app().callApp(path, { method: "OPTIONS", headers: ask })).headers;
    expect([path, allowed.get("access-control-allow-origin")]).toEqual([path, PARTNER]);
    expect(allowed.get("access-control-allow-methods")?.split(", ")).toContain(method);
    const answer = await app().callApp(path, { method, headers: { origin: PARTNER }, body: {} });
    expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 401, PARTNER]);
    const other = await app().callApp(path, { method: "OPTIONS", headers: { ...ask, origin: "https://evil.example" } });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
  }
});

describe("forged sign-ins", () => {
  const person = () => ({ email: session.person.email, password: session.person.password });
  const CALLS = () => [
    { path: "/api/users/login/", body: person() },
    { path: "/api/users/register/", body: { ...newPerson(), confirmPassword: "x" } },
    { path: "/api/users/password-reset/", body: { email: session.person.email } },
    { path: "/api/users/password-reset-confirm/", body: { token: "t".repeat(43), new_password: "Ever green 2026!" } },
  ];

  test.each(["https://evil.example", "null"])("from the origin %s are refused without a cookie", async (origin) => {
    for (const { path, body } of CALLS()) {
      const answer = await app().callApp(path, { method: "POST", body, headers: { origin } });
      expect([path, answer.status, answer.json]).toEqual([path, 403, errorBody("csrf")]);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  test("by a form of another site are refused, whatever it can send", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      for (const { path, body } of CALLS()) {
        const headers = { "content-type": type };
        const answer = await app().callApp(path, { method: "POST", body: JSON.stringify(body), headers });
        expect([path, answer.status]).toEqual([path, 400]);
        expect(answer.headers.get("set-cookie")).toBeNull();
      }
    }
  });

  test("our own pages, CORS_ORIGINS and clients without an Origin sign in", async () => {
    const senders: Record<string, string>[] = [{ origin: app().baseUrl }, { origin: PARTNER }, {}];
    for (const headers of senders) {
      const answer = await app().callApp("/api/users/login/", { method: "POST", body: person(), headers });
      expect([answer.status, sessionCookieIn(answer.headers)]).toEqual([200, expect.stringMatching(/.{100}/)]);
    }
  });

  test("next-auth's own sign-in is refused from another origin", async () => {
    const body = new URLSearchParams({ ...person(), csrfToken: "x" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "https://evil.example" };
    const answer = await app().callApp("/api/auth/callback/credentials", { method: "POST", body, headers });
    expect([answer.status, answer.json]).toEqual([403, errorBody("csrf")]);
  });
});

describe("a token and a cookie of different users", () => {
  const ME = "/api/users/me/";

  test("are refused together, as long as both logins last", async () => {
    const other = await openSession(app());
    const both = { ...bearer(session.token), cookie: other.cookie };
    const refused = await app().callApp(ME, { headers: both });
    expect([refused.status, refused.json]).toEqual([401, errorBody("unauthenticated", expect.stringMatching(/else/))]);
    const exchanged = await app().callApp("/api/auth/exchange/", { method: "POST", body: {}, headers: both });
    expect([exchanged.status, exchanged.headers.get("set-cookie")]).toEqual([401, null]);
    await app().callApp("/api/auth/logout/", { method: "POST", headers: bearer(other.token) });
    expect((await app().callApp(ME, { headers: both })).status).toBe(200);
  });

  test("two logins of one user go together, and so does a cookie that opens nothing", async () => {
    const again = await logIn(app(), session.person);
    for (const cookie of [again.cookie, "next-auth.session-token=dead", session.cookie])
      expect((await app().callApp(ME, { headers: { ...bearer(session.token), cookie } })).status).toBe(200);
  });

  test("can be logged out, which removes the cookie", async () => {
    const [one, other] = [await openSession(app()), await openSession(app())];
    const headers = { ...bearer(one.token), cookie: other.cookie };
    const answer = await app().callApp("/api/auth/logout/", { method: "POST", headers });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect((await app().callApp(ME, { headers: bearer(one.token) })).status).toBe(401);
  });
});

describe("R-API-32 allowed origins", () => {
  const preflight = (origin: string, path = ACCOUNTS) =>
    app().callApp(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "authorization,content-type,x-csrftoken",
      },
    });

  test("R-API-32 answers preflights from our own origin and CORS_ORIGINS", async () => {
    for (const origin of [app().baseUrl, PARTNER]) {
      const { status, headers } = await preflight(origin);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-allow-credentials")).toBe("true");
      expect(headers.get("access-control-allow-methods")?.split(", ")).toEqual(
        expect.arrayContaining(["GET", "POST", "PUT", "DELETE"]),
      );
      expect(headers.get("access-control-allow-headers")?.toLowerCase().split(", ").sort()).toEqual([
        "authorization",
        "content-type",
        "idempotency-key",
        "if-none-match",
        "mcp-protocol-version",
        "x-csrftoken",
      ]);
      expect(headers.get("vary")).toMatch(/\borigin\b/i);
    }
  });

  test("R-API-32 other origins get no CORS headers", async () => {
    for (const origin of ["https://evil.example", "null", `${PARTNER}.evil.example`, "http://partner.example"]) {
      const answers = [
        await preflight(origin),
        await preflight(origin, "/api/nope/"),
        await app().callApp(ACCOUNTS, { headers: { origin, ...bearer(session.token) } }),
        await app().callApp("/api/users/login/", { method: "POST", body: {}, headers: { origin } }),
      ];
      for (const { headers } of answers) {
        expect(headers.get("access-control-allow-origin")).toBeNull();
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        expect(headers.get("vary")).toMatch(/\borigin\b/i);
      }
    }
  });

  test("R-API-32 R-AUTH-07 allowed origins can read responses and errors, with credentials", async () => {
    for (const origin of [app().baseUrl, PARTNER]) {
      for (const headers of [bearer(session.token), bearer("dead")]) {
        const answer = await app().callApp(ACCOUNTS, { headers: { origin, ...headers } });
        expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
        expect(answer.headers.get("access-control-expose-headers")).toContain("x-request-id");
      }
    }
  });

  test("R-API-32 CORS_ORIGINS of another installation are not allowed", async () => {
    const other = clientOf(inject("app"));
    const answer = await other.callApp("/api/users/me/", { headers: { origin: PARTNER } });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});
