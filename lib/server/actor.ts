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
import { loginPath, safePath } from "#lib/core/paths.ts";
import { isTimeZone, MINUTE_MS, SECOND_MS, YEAR_SECONDS } from "#lib/core/time.ts";
import { CHALLENGE_LIFETIME_MS, LOGIN_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import {
  cacheSessionUser,
  findTokenUser,
  type KeptLogin,
  type SessionUser,
  type TokenClaims,
} from "#lib/features/identity/queries.ts";
import { recordLoginUse } from "#lib/features/identity/sessions.ts";
import { clientAddress } from "./address.ts";
import {
  decodeLogin,
  encodeLogin,
  isSecureSite,
  knownBrowserCookie,
  sessionCookie,
  sessionCookieName,
} from "./auth.ts";
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

interface FoundLogin {
  claims: TokenClaims;
  user: SessionUser;
  isCurrent: boolean;
}

const findLogin = async (token: string | null, kind: "session" | "access"): Promise<FoundLogin | null> => {
  const claims = token ? await decodeLogin(token, kind) : null;
  if (!claims) return null;
  const found = await findTokenUser(composeContext({ kind: "visitor", address: "" }, createWideEvent()), claims);
  return found && { claims, ...found };
};

const findCookieLogin = (caller: Caller): Promise<FoundLogin | null> =>
  findLogin(caller.cookie(sessionCookieName()), "session");

const toActor = async ({ user }: FoundLogin, caller: Caller): Promise<Actor> => {
  const visitor = visitorOf(caller);
  await recordLoginUse(composeContext(visitor, createWideEvent()), user);
  const actor: Actor = { kind: "user", userId: user.id, loginId: user.loginId, address: visitor.address };
  cacheSessionUser(actor, user);
  return actor;
};

type TokenState = "renewable" | "outdated";
const tokenStates = new WeakMap<Actor, TokenState>();

/** Of a token that came with its session cookie. `outdated`: the cookie is from before a new password, too. */
export const tokenStateOf = (actor: Actor): TokenState | undefined => tokenStates.get(actor);

const withState = (actor: Actor, state: TokenState): Actor => {
  tokenStates.set(actor, state);
  return actor;
};

const identifyByCookie = async (caller: Caller): Promise<Actor> => {
  const found = await findCookieLogin(caller);
  if (!found?.isCurrent) return visitorOf(caller);
  if (!isSafeMethod(caller.method)) requireCsrf(caller);
  return toActor(found, caller);
};

const identifyByToken = async (authorization: string, caller: Caller): Promise<Actor> => {
  const found = await findLogin(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null, "access");
  if (!found) return visitorOf(caller);
  const { claims, user, isCurrent } = found;
  if (isCurrent && claims.accessVersion === user.tokens.accessVersion && !user.tokens.isRenewalDue) {
    return toActor(found, caller);
  }
  // Other clients have no cookie, and keep their token.
  const cookie = await findCookieLogin(caller);
  const isOwnPage = cookie?.user.loginId === user.loginId;
  if (isCurrent) {
    const actor = await toActor(found, caller);
    return isOwnPage ? withState(actor, "renewable") : actor;
  }
  if (!isOwnPage) return visitorOf(caller);
  if (!cookie.isCurrent) return withState(visitorOf(caller), "outdated");
  return withState(await identifyByCookie(caller), "renewable");
};

/**
 * The Authorization header, else the session cookie, which for unsafe methods also requires the CSRF header and an
 * allowed Origin. The cookie also decides for a token of the same login that was renewed. @throws AppError `csrf`
 */
export const identify = async (caller: Caller): Promise<Actor> => {
  const authorization = caller.header("authorization");
  return authorization === null ? identifyByCookie(caller) : identifyByToken(authorization, caller);
};

const OTHER_USER = "This browser is signed in as someone else. Please sign in again.";

/**
 * Pages and actions follow the session cookie, calls the token. With two users in one browser, a page of one would act
 * for the other, so the call is refused. @throws AppError `unauthenticated`
 */
export const requireOneUser = async (actor: Actor, caller: Caller): Promise<void> => {
  if (actor.kind !== "user" || caller.header("authorization") === null) return;
  const cookie = caller.cookie(sessionCookieName());
  const claims = cookie ? await decodeLogin(cookie, "session") : null;
  if (claims === null || claims.loginId === actor.loginId) return;
  const other = await findCookieLogin(caller);
  if (other?.isCurrent && other.user.id !== actor.userId) throw new AppError("unauthenticated", { text: OTHER_USER });
};

const optionalUser = cache(async (): Promise<SessionUser | null> => {
  const jar = await cookies();
  const found = await findLogin(jar.get(sessionCookieName())?.value ?? null, "session");
  const user = found?.isCurrent ? found.user : null;
  const zone = jar.get(TIME_ZONE_COOKIE)?.value.slice(0, 64) ?? "";
  // This browser's zone wins, unless the user chose a fixed zone.
  return user?.chosenTimeZone === null && isTimeZone(zone) ? { ...user, timeZone: zone } : user;
});

export const requireUser = async (): Promise<SessionUser> => {
  const user = await optionalUser();
  if (user) return user;
  const path = (await headers()).get("x-path");
  return redirect(loginPath(path));
};

export const pageContext = async (user: SessionUser): Promise<FullCtx> =>
  composeContext(
    { kind: "user", userId: user.id, loginId: user.loginId, address: "" },
    createWideEvent({ page: (await headers()).get("x-path") }),
  );

const CORS_HEADERS = `authorization, content-type, idempotency-key, if-none-match, mcp-protocol-version, ${CSRF_HEADER.toLowerCase()}`;
const CORS_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED_HEADERS =
  "etag, idempotency-replayed, link, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, www-authenticate, x-request-id";

export const corsHeaders = (origin: string | null): Record<string, string> =>
  isAllowedOrigin(origin) && origin !== null
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": EXPOSED_HEADERS,
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

/** Readable by our scripts. Public pages do not set it, so that they stay cacheable. */
export const csrfCookie = (): string =>
  [
    `${CSRF_COOKIE}=${randomToken()}`,
    "Path=/",
    "SameSite=Lax",
    `Max-Age=${YEAR_SECONDS}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

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

const cookieOptions = (maxAge: number) => ({ path: "/", sameSite: "lax", secure: isSecureSite(), maxAge }) as const;

/** For actions and forms. */
export const rememberBrowser = async (proof: string): Promise<void> => {
  const jar = await cookies();
  jar.set(KNOWN_BROWSER_COOKIE, proof, { ...cookieOptions(YEAR_SECONDS), httpOnly: true });
};

/** For actions and forms. @returns the access token that belongs to the cookies */
export const setLoginCookies = async (login: KeptLogin): Promise<string> => {
  const jar = await cookies();
  const token = await encodeLogin(login, "session");
  jar.set(sessionCookieName(), token, { ...cookieOptions(LOGIN_LIFETIME_MS / SECOND_MS), httpOnly: true });
  await rememberBrowser(login.knownBrowser);
  if (!jar.has(CSRF_COOKIE)) jar.set(CSRF_COOKIE, randomToken(), cookieOptions(YEAR_SECONDS));
  jar.delete(SECOND_STEP_COOKIE);
  return encodeLogin(login, "access");
};

export const markFormLogin = async (): Promise<void> => {
  (await cookies()).set(FORM_LOGIN_COOKIE, "1", cookieOptions(FORM_LOGIN_LIFETIME_MS / SECOND_MS));
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

export const loginCookies = async (login: KeptLogin, request: Request): Promise<Headers> => {
  const headers = new Headers({ "set-cookie": sessionCookie(await encodeLogin(login, "session")) });
  if (callerOf(request).cookie(CSRF_COOKIE) === null) headers.append("set-cookie", csrfCookie());
  headers.append("set-cookie", knownBrowserCookie(login.knownBrowser));
  if (callerOf(request).cookie(SECOND_STEP_COOKIE) !== null) headers.append("set-cookie", secondStepCookie(null));
  return headers;
};
