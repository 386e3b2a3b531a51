import "server-only";
import { hash } from "node:crypto";
import type { NextAuthOptions } from "next-auth";
import { decode, encode } from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { composeContext } from "#lib/composition.ts";
import { KNOWN_BROWSER_COOKIE } from "#lib/core/browser-keys.ts";
import { type AppError, toAppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { safePath } from "#lib/core/paths.ts";
import { MINUTE_MS, SECOND_MS, YEAR_SECONDS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { LOGIN_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findTokenUser, type KeptLogin, type SessionUser, type TokenClaims } from "#lib/features/identity/queries.ts";
import { logOut, type OpenedLogin } from "#lib/features/identity/sessions.ts";
import { loginInput } from "#lib/features/sign-in/schema.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { clientAddress } from "./address.ts";
import { authLogger } from "./library-log.ts";
import { limitCall } from "./rate-limit.ts";

/** Contents of a decrypted token; the login is checked separately. `expiresAt`: seconds since 1970. */
interface DecryptedToken extends TokenClaims {
  expiresAt: number;
}

const CACHE_MS = MINUTE_MS;
const CACHE_ENTRIES_MAX = 5_000;

/** Decryption costs as much as a query. Logins are still checked each time, so revocation takes effect immediately. */
export const createTokenCache = (now: () => number = () => Date.now()) => {
  const cache = new Map<string, { claims: DecryptedToken; untilMs: number }>();
  const read = async (name: string, open: () => Promise<DecryptedToken | null>): Promise<DecryptedToken | null> => {
    const key = hash("sha256", name, "base64url");
    const known = cache.get(key);
    if (known && now() < Math.min(known.untilMs, known.claims.expiresAt * SECOND_MS)) return known.claims;
    cache.delete(key);
    const claims = await open();
    if (!claims) return null;
    if (cache.size >= CACHE_ENTRIES_MAX)
      for (const oldest of [...cache.keys()].slice(0, CACHE_ENTRIES_MAX / 10)) cache.delete(oldest);
    cache.set(key, { claims, untilMs: now() + CACHE_MS });
    return claims;
  };
  return { read, size: () => cache.size };
};

/** Different salts keep one token from being used in place of the other. */
type TokenKind = "session" | "access";

const SALTS: Record<TokenKind, string> = { session: "", access: "accessToken" };
const lifeSeconds = LOGIN_LIFETIME_MS / SECOND_MS;

/** Cookies must be `Secure` on HTTPS. */
export const isSecureSite = (): boolean => env().APP_URL.startsWith("https:");

/** As next-auth names it. */
export const sessionCookieName = (): string => `${isSecureSite() ? "__Secure-" : ""}next-auth.session-token`;

export const encodeLogin = ({ userId, loginId, tokens }: Omit<KeptLogin, "knownBrowser">, kind: TokenKind) =>
  encode({
    token: {
      sub: userId,
      loginId,
      typ: kind,
      version: tokens.version,
      ...(kind === "access" && { accessVersion: tokens.accessVersion }),
    },
    secret: env().AUTH_SECRET,
    maxAge: lifeSeconds,
    salt: SALTS[kind],
  });

const numberOr0 = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Tokens of earlier releases have no versions, which counts as 0. */
const toClaims = (raw: Record<string, unknown> | null, kind: TokenKind): TokenClaims | null =>
  raw?.typ === kind && typeof raw.loginId === "string"
    ? {
        loginId: raw.loginId,
        version: numberOr0(raw.version),
        accessVersion: kind === "access" ? numberOr0(raw.accessVersion) : null,
      }
    : null;

const openToken = async (token: string, kind: TokenKind): Promise<DecryptedToken | null> => {
  try {
    const raw = await decode({ token, secret: env().AUTH_SECRET, salt: SALTS[kind] });
    const claims = toClaims(raw, kind);
    return claims && { ...claims, expiresAt: numberOr0(raw?.exp) };
  } catch {
    return null;
  }
};

const tokens = createTokenCache();

/** Null when it is invalid, expired or of the other kind. */
export const decodeLogin = async (token: string, kind: TokenKind): Promise<TokenClaims | null> =>
  token.length > 4_096 ? null : tokens.read(`${kind} ${token}`, () => openToken(token, kind));

export const sessionCookie = (token: string | null): string =>
  [
    `${sessionCookieName()}=${token ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${token ? lifeSeconds : 0}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

export const knownBrowserCookie = (proof: string): string =>
  [
    `${KNOWN_BROWSER_COOKIE}=${proof}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${YEAR_SECONDS}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

/** `onFailure`: errors other than wrong credentials. */
interface SignInEvents {
  onFailure: (error: AppError) => void;
  onLogin: (login: OpenedLogin) => void;
}

export const loginSubject = (email: string, address: string): string => `${uniqueKey(email)} ${address}`;

const cookieIn = (header: string | null, name: string): string | null =>
  header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? null;

const authorize = async (credentials: unknown, headers: Record<string, unknown>, events: SignInEvents) => {
  const input = loginInput.safeParse(credentials);
  if (!input.success) return null;
  const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
  const address = clientAddress(header("x-forwarded-for"));
  try {
    const knownBrowser = cookieIn(header("cookie"), KNOWN_BROWSER_COOKIE);
    const visitor = { kind: "visitor" as const, address, userAgent: header("user-agent"), knownBrowser };
    const ctx = composeContext(visitor, createWideEvent());
    const { RATE_LIMIT_FACTOR: factor } = env();
    await limitCall(ctx, "login", address, factor);
    await limitCall(ctx, "loginAccount", loginSubject(input.data.email, address), factor);
    const login = await logIn(ctx, input.data);
    events.onLogin(login);
    return { id: login.userId, loginId: login.loginId };
  } catch (thrown) {
    // next-auth would expose the message of a thrown error in its redirect URL.
    const error = toAppError(thrown);
    if (error.code !== "wrong_login") events.onFailure(error);
    return null;
  }
};

const findCookieUser = async (token: Record<string, unknown>): Promise<SessionUser | null> => {
  const claims = toClaims(token, "session");
  const ctx = composeContext({ kind: "job", name: "session" }, createWideEvent());
  const found = claims && (await findTokenUser(ctx, claims));
  return found?.isCurrent ? found.user : null;
};

/** Shares its cookie with the documented login call. */
export const authOptions = (events: SignInEvents): NextAuthOptions => ({
  secret: env().AUTH_SECRET,
  useSecureCookies: isSecureSite(),
  logger: authLogger,
  session: { strategy: "jwt", maxAge: lifeSeconds },
  pages: { signIn: "/login", error: "/login" },
  providers: [
    Credentials({
      credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
      authorize: (credentials, request) => authorize(credentials, request.headers ?? {}, events),
    }),
  ],
  callbacks: {
    redirect: ({ url, baseUrl }) => baseUrl + safePath(url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url),
    jwt: ({ token, user }) =>
      user && "loginId" in user ? { sub: user.id, loginId: user.loginId, typ: "session" } : token,
    session: async ({ session, token }) => {
      const user = await findCookieUser(token);
      return user
        ? { expires: session.expires, user: { name: user.username, email: user.email } }
        : { expires: session.expires };
    },
  },
  events: {
    signOut: async ({ token }) => {
      const user = await findCookieUser(token ?? {});
      if (!user) return;
      const actor = { kind: "user" as const, userId: user.id, loginId: user.loginId, address: "" };
      await logOut(composeContext(actor, createWideEvent()));
    },
  },
});
