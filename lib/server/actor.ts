import "server-only";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import { CSRF_COOKIE, CSRF_HEADER, FORM_LOGIN_COOKIE, TIME_ZONE_COOKIE } from "#lib/core/browser-keys.ts";
import { equalInConstantTime, randomToken } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { safePath } from "#lib/core/paths.ts";
import { isTimeZone, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { LOGIN_LIFE_MS } from "#lib/features/identity/constants.ts";
import { findSessionUser, leaveSessionUser, type SessionUser } from "#lib/features/identity/queries.ts";
import { noteUse, type OpenedLogin } from "#lib/features/identity/sessions.ts";
import { clientAddress } from "./address.ts";
import { decodeLogin, encodeLogin, isSecureSite, sessionCookie, sessionCookieName } from "./auth.ts";
import type { RouteHandler } from "./route.ts";

/** A request's headers and cookies, from wherever they come. */
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

/** The caller of a route handler. */
export const callerOf = (request: Request): Caller => {
  const jar = parseCookies(request.headers.get("cookie"));
  return {
    method: request.method,
    header: (name) => request.headers.get(name),
    cookie: (name) => jar.get(name) ?? null,
  };
};

/** Origins whose pages may call us with credentials (R-API-32). */
export const isAllowedOrigin = (origin: string | null): boolean =>
  origin !== null && (origin === new URL(env().APP_URL).origin || env().CORS_ORIGINS.includes(origin));

const isSafeMethod = (method: string): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

const demandCsrf = (caller: Caller): void => {
  const sent = caller.header(CSRF_HEADER);
  const kept = caller.cookie(CSRF_COOKIE);
  if (!sent || !kept || !equalInConstantTime(sent, kept) || !isAllowedOrigin(caller.header("origin"))) {
    throw new AppError("csrf");
  }
};

/** Somebody of whom only the address counts: registering and logging in look at no login (DESIGN §7). */
export const visitorOf = (caller: Caller): Extract<Actor, { kind: "visitor" }> => ({
  kind: "visitor",
  address: clientAddress(caller.header("x-forwarded-for")),
  userAgent: caller.header("user-agent"),
});

const actorOfLogin = async (loginId: string | null, caller: Caller): Promise<Actor> => {
  const visitor = visitorOf(caller);
  if (!loginId) return visitor;
  const ctx = composeContext(visitor, createWideEvent());
  const user = await findSessionUser(ctx, loginId);
  if (!user) return visitor;
  await noteUse(ctx, user);
  const actor: Actor = { kind: "user", userId: user.id, loginId: user.loginId, address: visitor.address };
  leaveSessionUser(actor, user);
  return actor;
};

/**
 * Who calls (DESIGN §7): an Authorization header decides alone; else the cookie, and then unsafe methods
 * need the CSRF header and an allowed Origin. Anonymous calls need neither.
 * @throws AppError `csrf`
 */
export const identify = async (caller: Caller): Promise<Actor> => {
  const authorization = caller.header("authorization");
  if (authorization !== null) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return actorOfLogin(token ? await decodeLogin(token, "access") : null, caller);
  }
  const cookie = caller.cookie(sessionCookieName());
  const actor = await actorOfLogin(cookie ? await decodeLogin(cookie, "session") : null, caller);
  if (actor.kind === "user" && !isSafeMethod(caller.method)) demandCsrf(caller);
  return actor;
};

/** The signed-in user of a page by the session cookie, or null; one query per request. */
const optionalUser = cache(async (): Promise<SessionUser | null> => {
  const jar = await cookies();
  const cookie = jar.get(sessionCookieName())?.value;
  const loginId = cookie ? await decodeLogin(cookie, "session") : null;
  if (!loginId) return null;
  const user = await findSessionUser(composeContext({ kind: "visitor", address: "" }, createWideEvent()), loginId);
  const zone = jar.get(TIME_ZONE_COOKIE)?.value.slice(0, 64) ?? "";
  // This browser's zone comes before the one another browser left in the column (DESIGN §8), unless one was chosen.
  return user?.chosenTimeZone === null && isTimeZone(zone) ? { ...user, timeZone: zone } : user;
});

/** The signed-in user of a page in `/app`; anybody else goes to `/login` with the path remembered. */
export const requireUser = async (): Promise<SessionUser> => {
  const user = await optionalUser();
  if (user) return user;
  const path = (await headers()).get("x-path");
  return redirect(path ? `/login?next=${encodeURIComponent(path)}` : "/login");
};

/** A context for reading on behalf of a page's user. */
export const pageContext = async (user: SessionUser): Promise<FullCtx> =>
  composeContext(
    { kind: "user", userId: user.id, loginId: user.loginId, address: "" },
    createWideEvent({ page: (await headers()).get("x-path") }),
  );

const CORS_HEADERS = `authorization, content-type, idempotency-key, ${CSRF_HEADER.toLowerCase()}`;
const CORS_METHODS = "GET, POST, PUT, DELETE, OPTIONS";

/** CORS headers for an allowed origin, else none (R-API-32). */
export const corsHeaders = (origin: string | null): Record<string, string> =>
  isAllowedOrigin(origin) && origin !== null
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "link, retry-after, x-request-id",
        vary: "Origin",
      }
    : { vary: "Origin" };

/** The answer to a preflight: what an allowed origin may send. */
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

/** For calls that the gate does not see, because it would hold their bodies in memory: their own CORS headers. */
export const answersAcross =
  (handler: RouteHandler): RouteHandler =>
  async (request, context) => {
    const response = await handler(request, context);
    const headers = corsHeaders(request.headers.get("origin"));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };

/** Answers a preflight where the gate does not. */
export const answersPreflight: RouteHandler = async (request) => preflight(request.headers.get("origin"));

const YEAR_SECONDS = 31_536_000;

/**
 * `Set-Cookie` of a new CSRF token. Readable by our scripts on purpose: they send it back as a header, which no
 * other site can. It comes with a login and on `/app`; pages for everybody set no cookie, so that caches may keep them.
 */
export const csrfCookie = (): string =>
  [
    `${CSRF_COOKIE}=${randomToken()}`,
    "Path=/",
    "SameSite=Lax",
    `Max-Age=${YEAR_SECONDS}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

const FORM_LOGIN_LIFE_MS = 5 * MINUTE_MS;

/**
 * Keeps a login that a form opened in the browser that a server action answers: the session's cookie, a CSRF token where
 * there is none, and a mark by which the app's first page with a script fetches the access token.
 */
export const keepLogin = async (login: Pick<OpenedLogin, "userId" | "loginId">): Promise<void> => {
  const jar = await cookies();
  const shared = { path: "/", sameSite: "lax", secure: isSecureSite() } as const;
  const token = await encodeLogin(login, "session");
  jar.set(sessionCookieName(), token, { ...shared, httpOnly: true, maxAge: LOGIN_LIFE_MS / SECOND_MS });
  if (!jar.has(CSRF_COOKIE)) jar.set(CSRF_COOKIE, randomToken(), { ...shared, maxAge: YEAR_SECONDS });
  jar.set(FORM_LOGIN_COOKIE, "1", { ...shared, maxAge: FORM_LOGIN_LIFE_MS / SECOND_MS });
};

/** The path that the page of a form was asked to go on to (`next`), else the app. */
export const nextPathOfForm = async (): Promise<string> => {
  const page = (await headers()).get("referer") ?? "";
  return safePath(URL.canParse(page) ? new URL(page).searchParams.get("next") : null);
};

/** The cookies of an opened login: the session's, and the CSRF token where the browser has none. */
export const loginCookies = async (
  login: Pick<OpenedLogin, "userId" | "loginId">,
  request: Request,
): Promise<Headers> => {
  const headers = new Headers({ "set-cookie": sessionCookie(await encodeLogin(login, "session")) });
  if (callerOf(request).cookie(CSRF_COOKIE) === null) headers.append("set-cookie", csrfCookie());
  return headers;
};
