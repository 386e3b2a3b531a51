import { afterEach, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { FREE_FAILURES } from "#lib/features/limits/constants.ts";
import { until } from "#tests/support/poll.ts";
import {
  appForFile,
  bearer,
  browserHeaders,
  newPerson,
  openSession,
  type Person,
  register,
  type Session,
  sessionCookieIn,
} from "./wire-harness.ts";

const app = appForFile({});
afterEach(() => app().moveClock(0));

const me = (headers: Record<string, string>) => app().callApp("/api/users/me/", { headers });
const statusOf = async (headers: Record<string, string>) => (await me(headers)).status;
const exchange = (method: "POST" | "PUT", headers: Record<string, string>) =>
  app().callApp("/api/auth/exchange/", { method, body: {}, headers });
const fromPage = ({ cookie }: Pick<Session, "cookie">) => browserHeaders(cookie, app().baseUrl);
/** As our own pages call: the token and the cookie of the same login. */
const both = ({ token, cookie }: Session) => ({ ...bearer(token), ...fromPage({ cookie }) });
const knownBrowserIn = (headers: Headers): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("known_browser="))
    ?.split(";")[0] ?? "";

describe("the access token of our own pages", () => {
  test("is renewed after a day of use; the one before works for five more minutes, then only the cookie counts", async () => {
    const session = await openSession(app());
    expect((await me(both(session))).headers.get("x-renew-token")).toBeNull();
    await app().moveClock(DAY_MS + HOUR_MS);
    expect((await me(both(session))).headers.get("x-renew-token")).toBe("1");
    const renewed = Object((await exchange("PUT", fromPage(session))).json).accessToken;
    expect([await statusOf(bearer(renewed)), await statusOf(bearer(session.token))]).toEqual([200, 200]);
    const current = await me(both({ ...session, token: renewed }));
    expect([current.status, current.headers.get("x-renew-token")]).toEqual([200, null]);
    await app().moveClock(DAY_MS + HOUR_MS + 6 * MINUTE_MS);
    expect([await statusOf(bearer(renewed)), await statusOf(bearer(session.token))]).toEqual([200, 401]);
    const late = await me(both(session));
    expect([late.status, late.headers.get("x-renew-token")]).toEqual([200, "1"]);
    // An unsafe call with the old token needs what the cookie needs.
    const { "x-csrftoken": _, ...withoutCsrf } = both(session);
    const resend = (headers: Record<string, string>) =>
      app().callApp("/api/users/verify-email/resend/", { method: "POST", headers });
    expect([(await resend(withoutCsrf)).status, (await resend(both(session))).status]).toEqual([403, 200]);
  });

  test("a client that only has a token keeps it for 30 days, and can't renew it", async () => {
    const { token } = await openSession(app());
    await app().moveClock(29 * DAY_MS);
    const answer = await me(bearer(token));
    expect([answer.status, answer.headers.get("x-renew-token")]).toEqual([200, null]);
    expect((await exchange("PUT", bearer(token))).status).toBe(401);
    await app().moveClock(31 * DAY_MS);
    expect(await statusOf(bearer(token))).toBe(401);
  });

  test("a cookie of someone else neither renews a token nor stands in for it", async () => {
    const [session, other] = [await openSession(app()), await openSession(app())];
    await app().moveClock(DAY_MS + HOUR_MS);
    await exchange("PUT", fromPage(session));
    await app().moveClock(DAY_MS + HOUR_MS + 6 * MINUTE_MS);
    const answer = await me({ ...bearer(session.token), ...fromPage(other) });
    expect([answer.status, answer.headers.get("x-renew-token")]).toEqual([401, null]);
  });

  test("the exchange of a token for a cookie also sets the proof of a known browser", async () => {
    const session = await openSession(app());
    const exchanged = await exchange("POST", bearer(session.token));
    expect(exchanged.status).toBe(204);
    expect(await statusOf({ cookie: sessionCookieIn(exchanged.headers) })).toBe(200);
    expect(knownBrowserIn(exchanged.headers)).not.toBe("");
  });
});

describe("R-SRV-09 strangers' failed sign-ins", () => {
  const NEW_PASSWORD = "Fresh-Moss-42!";
  const fail = async ({ email }: Person) => {
    for (let n = 0; n <= FREE_FAILURES; n += 1) {
      await app().callApp("/api/users/login/", { method: "POST", body: { email, password: `guess ${n}` } });
    }
  };
  const csrf = async () => {
    const answer = await app().callApp("/api/auth/csrf");
    const cookie = answer.headers.getSetCookie().map((item) => item.split(";")[0]);
    return { token: Object(answer.json).csrfToken, cookie: cookie.join("; ") };
  };
  const signInByNextAuth = async ({ email }: Person, password: string, known: string) => {
    const { token, cookie } = await csrf();
    return app().callApp("/api/auth/callback/credentials", {
      method: "POST",
      headers: { cookie: `${cookie}; ${known}`, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ email, password, csrfToken: token, json: "true" }).toString(),
    });
  };

  test("hold up neither the browser that set a new password by email nor one that next-auth signed in", async () => {
    const person = newPerson();
    await register(app(), person);
    await app().callApp("/api/users/password-reset/", { method: "POST", body: { email: person.email } });
    const box = `${app().inboxUrl}/api/messages?to=${encodeURIComponent(person.email)}`;
    const linkIn = async (): Promise<string | undefined> =>
      ((await (await fetch(box)).json()) as { links: string[] }[])
        .flatMap(({ links }) => links)
        .find((link) => link.includes("/reset-password/"));
    await until(async () => (await linkIn()) !== undefined, { what: "the reset email", deadlineMs: 60_000 });
    const token = ((await linkIn()) ?? "").split("/reset-password/")[1];
    const body = { token, new_password: NEW_PASSWORD };
    const reset = await app().callApp("/api/users/password-reset-confirm/", { method: "POST", body });
    expect(reset.json).toEqual({ message: "Your password has been reset. Please sign in." });
    const known = knownBrowserIn(reset.headers);
    await fail(person);
    expect((await signInByNextAuth(person, NEW_PASSWORD, "known_browser=forged")).status).toBe(429);
    const signedIn = await signInByNextAuth(person, NEW_PASSWORD, known);
    expect([signedIn.status, sessionCookieIn(signedIn.headers), knownBrowserIn(signedIn.headers)]).toEqual([
      200,
      expect.stringContaining("next-auth.session-token="),
      known,
    ]);
  });
});
