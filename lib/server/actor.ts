import "server-only";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import {
  CSRF_COOKIE,
  CSRF_HEADER,
  FORM_LOGIN_COOKIE,
  GOOGLE_COOKIE,
  KNOWN_BROWSER_COOKIE,
  SECOND_STEP_COOKIE,
  TIME_ZONE_COOKIE,
} from "#lib/core/browser-keys.ts";
import { equalInConstantTime, randomToken } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { safePath } from "#lib/core/paths.ts";
import { isTimeZone, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { CHALLENGE_LIFETIME_MS, LOGIN_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { cacheSessionUser, findSessionUser, type SessionUser } from "#lib/features/identity/queries.ts";
import { type OpenedLogin, recordLoginUse } from "#lib/features/identity/sessions.ts";
import { clientAddress } from "./address.ts";
import { decodeLogin, encodeLogin, isSecureSite, sessionCookie, sessionCookieName } from "./auth.ts";
import { isAllowedOrigin } from "./origins.ts";
import type { RouteHandler } from "./route.ts";

export interface Caller {
  header(name: string): string | null;
  cookie(name: string): string | null;
  method: string;
}

const parseCookies = (header: string | null): Map<string, string> =>
  new Map(
    (header ?? "").split(";").map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );

export const callerOf = (request: Request): Caller => {
  const jar = parseCookies(request.headers.get("cookie"));
  return {
    method: request.method,
    header: (name) => request.headers.get(name),
    cookie: (name) => jar.get(name) ?? null,
  };
};

const isSafeMethod = (method: string): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

const requireCsrf = (caller: Caller): void => {
  const sent = caller.header(CSRF_HEADER);
  const expected = caller.cookie(CSRF_COOKIE);
  if (!sent || !expected || !equalInConstantTime(sent, expected) || !isAllowedOrigin(caller.header("origin"))) {
    throw new AppError("csrf");
  }
};

/** Registration and login ignore existing logins. */
export const visitorOf = (caller: Caller): Extract<Actor, { kind: "visitor" }> => ({
  kind: "visitor",
  address: clientAddress(caller.header("x-forwarded-for")),
  userAgent: caller.header("user-agent"),
  knownBrowser: caller.cookie(KNOWN_BROWSER_COOKIE),
  secondStep: caller.cookie(SECOND_STEP_COOKIE),
});

const actorOfLogin = async (loginId: string | null, caller: Caller): Promise<Actor> => {
  const visitor = visitorOf(caller);
  if (!loginId) return visitor;
  const ctx = composeContext(visitor, createWideEvent());
  const user = await findSessionUser(ctx, loginId);
  if (!user) return visitor;
  await recordLoginUse(ctx, user);
  const actor: Actor = { kind: "user", userId: user.id, loginId: user.loginId, address: visitor.address };
  cacheSessionUser(actor, user);
  return actor;
};

/**
 * The Authorization header, else the session cookie, which for unsafe methods also requires the CSRF header and an
 * allowed Origin. @throws AppError `csrf`
 */
export const identify = async (caller: Caller): Promise<Actor> => {
  const authorization = caller.header("authorization");
  if (authorization !== null) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return actorOfLogin(token ? await decodeLogin(token, "access") : null, caller);
  }
  const cookie = caller.cookie(sessionCookieName());
  const actor = await actorOfLogin(cookie ? await decodeLogin(cookie, "session") : null, caller);
  if (actor.kind === "user" && !isSafeMethod(caller.method)) requireCsrf(caller);
  return actor;
};

const OTHER_USER = "This browser is signed in as someone else. Please sign in again.";

/**
 * Pages and actions follow the session cookie, calls the token. Two users in one browser would see one's pages act for
 * the other, so the call is refused. @throws AppError `unauthenticated`
 */
export const requireOneUser = async (actor: Actor, caller: Caller): Promise<void> => {
  const cookie = caller.cookie(sessionCookieName());
  if (actor.kind !== "user" || caller.header("authorization") === null || !cookie) return;
  const loginId = await decodeLogin(cookie, "session");
  if (loginId === null || loginId === actor.loginId) return;
  const other = await findSessionUser(composeContext(visitorOf(caller), createWideEvent()), loginId);
  if (other && other.id !== actor.userId) throw new AppError("unauthenticated", { text: OTHER_USER });
};

/** Cached per request. */
const optionalUser = cache(async (): Promise<SessionUser | null> => {
  const jar = await cookies();
  const cookie = jar.get(sessionCookieName())?.value;
  const loginId = cookie ? await decodeLogin(cookie, "session") : null;
  if (!loginId) return null;
  const user = await findSessionUser(composeContext({ kind: "visitor", address: "" }, createWideEvent()), loginId);
  const zone = jar.get(TIME_ZONE_COOKIE)?.value.slice(0, 64) ?? "";
  // This browser's zone wins, unless the user chose a fixed zone.
  return user?.chosenTimeZone === null && isTimeZone(zone) ? { ...user, timeZone: zone } : user;
});

export const requireUser = async (): Promise<SessionUser> => {
  const user = await optionalUser();
  if (user) return user;
  const path = (await headers()).get("x-path");
  return redirect(path ? `/login?next=${encodeURIComponent(path)}` : "/login");
};

export const pageContext = async (user: SessionUser): Promise<FullCtx> =>
  composeContext(
    { kind: "user", userId: user.id, loginId: user.loginId, address: "" },
    createWideEvent({ page: (await headers()).get("x-path") }),
  );

const CORS_HEADERS = `authorization, content-type, idempotency-key, ${CSRF_HEADER.toLowerCase()}`;
const CORS_METHODS = "GET, POST, PUT, DELETE, OPTIONS";

/** For other origins only `Vary`. */
export const corsHeaders = (origin: string | null): Record<string, string> =>
  isAllowedOrigin(origin) && origin !== null
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "link, retry-after, x-request-id",
        vary: "Origin",
      }
    : { vary: "Origin" };

export const preflight = (origin: string | null): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      ...(isAllowedOrigin(origin) && {
        "access-control-allow-methods": CORS_METHODS,
        "access-control-allow-headers": CORS_HEADERS,
        "access-control-max-age": "600",
      }),
    },
  });

/** For routes that bypass `proxy.ts`, which would buffer their bodies. */
export const withCors =
  (handler: RouteHandler): RouteHandler =>
  async (request, context) => {
    const response = await handler(request, context);
    const headers = corsHeaders(request.headers.get("origin"));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };

export const preflightHandler: RouteHandler = async (request) => preflight(request.headers.get("origin"));

const YEAR_SECONDS = 31_536_000;

/** Readable by our scripts. Public pages do not set it, so that they stay cacheable. */
export const csrfCookie = (): string =>
  [
    `${CSRF_COOKIE}=${randomToken()}`,
    "Path=/",
    "SameSite=Lax",
    `Max-Age=${YEAR_SECONDS}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

const knownBrowserCookie = (proof: string): string =>
  [
    `${KNOWN_BROWSER_COOKIE}=${proof}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${YEAR_SECONDS}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

/** Null removes it. */
export const secondStepCookie = (challenge: string | null): string =>
  [
    `${SECOND_STEP_COOKIE}=${challenge ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${challenge ? CHALLENGE_LIFETIME_MS / SECOND_MS : 0}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

export const setSecondStepCookie = async (challenge: string): Promise<void> => {
  const shared = { path: "/", sameSite: "lax", secure: isSecureSite(), httpOnly: true } as const;
  (await cookies()).set(SECOND_STEP_COOKIE, challenge, { ...shared, maxAge: CHALLENGE_LIFETIME_MS / SECOND_MS });
};

const FORM_LOGIN_LIFETIME_MS = 5 * MINUTE_MS;

/** The extra marker cookie tells the app's first page to fetch an access token. */
export const setLoginCookies = async (login: OpenedLogin): Promise<void> => {
  const jar = await cookies();
  const shared = { path: "/", sameSite: "lax", secure: isSecureSite() } as const;
  const token = await encodeLogin(login, "session");
  jar.set(sessionCookieName(), token, { ...shared, httpOnly: true, maxAge: LOGIN_LIFETIME_MS / SECOND_MS });
  jar.set(KNOWN_BROWSER_COOKIE, login.knownBrowser, { ...shared, httpOnly: true, maxAge: YEAR_SECONDS });
  if (!jar.has(CSRF_COOKIE)) jar.set(CSRF_COOKIE, randomToken(), { ...shared, maxAge: YEAR_SECONDS });
  jar.delete(SECOND_STEP_COOKIE);
  jar.set(FORM_LOGIN_COOKIE, "1", { ...shared, maxAge: FORM_LOGIN_LIFETIME_MS / SECOND_MS });
};

/** Null removes it. Google's redirect is a navigation from another site, so it is not `Strict`. */
export const setGoogleCookie = async (browserToken: string | null): Promise<void> => {
  const shared = { path: "/api/auth/google", sameSite: "lax", secure: isSecureSite(), httpOnly: true } as const;
  const maxAge = browserToken === null ? 0 : CHALLENGE_LIFETIME_MS / SECOND_MS;
  (await cookies()).set(GOOGLE_COOKIE, browserToken ?? "", { ...shared, maxAge });
};

export const nextPathOfForm = async (): Promise<string> => {
  const page = (await headers()).get("referer") ?? "";
  return safePath(URL.canParse(page) ? new URL(page).searchParams.get("next") : null);
};

/** With a CSRF token if the browser has none. */
export const loginCookies = async (
  login: Pick<OpenedLogin, "userId" | "loginId"> & Partial<Pick<OpenedLogin, "knownBrowser">>,
  request: Request,
): Promise<Headers> => {
  const headers = new Headers({ "set-cookie": sessionCookie(await encodeLogin(login, "session")) });
  if (callerOf(request).cookie(CSRF_COOKIE) === null) headers.append("set-cookie", csrfCookie());
  if (login.knownBrowser) headers.append("set-cookie", knownBrowserCookie(login.knownBrowser));
  if (callerOf(request).cookie(SECOND_STEP_COOKIE) !== null) headers.append("set-cookie", secondStepCookie(null));
  return headers;
};
