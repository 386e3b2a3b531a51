import "server-only";
import { hash } from "node:crypto";
import type { NextAuthOptions } from "next-auth";
import { decode, encode } from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { composeContext } from "#lib/composition.ts";
import { type AppError, toAppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { safePath } from "#lib/core/paths.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { LOGIN_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { loginInput } from "#lib/features/identity/schema.ts";
import { logOut, type OpenedLogin } from "#lib/features/identity/sessions.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { clientAddress } from "./address.ts";
import { authLogger } from "./library-log.ts";
import { limitCall } from "./rate-limit.ts";

/** Contents of a decrypted token; the login is checked separately. */
interface TokenClaims {
  loginId: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

const CACHE_MS = MINUTE_MS;
const CACHE_ENTRIES_MAX = 5_000;

/** Decryption costs as much as a query. Logins are still checked each time, so revocation takes effect immediately. */
export const createTokenCache = (now: () => number = () => Date.now()) => {
  const cache = new Map<string, { claims: TokenClaims; untilMs: number }>();
  const read = async (name: string, open: () => Promise<TokenClaims | null>): Promise<TokenClaims | null> => {
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

export const encodeLogin = (login: Pick<OpenedLogin, "userId" | "loginId">, kind: TokenKind): Promise<string> =>
  encode({
    token: { sub: login.userId, loginId: login.loginId, typ: kind },
    secret: env().AUTH_SECRET,
    maxAge: lifeSeconds,
    salt: SALTS[kind],
  });

const openToken = async (token: string, kind: TokenKind): Promise<TokenClaims | null> => {
  try {
    const claims = await decode({ token, secret: env().AUTH_SECRET, salt: SALTS[kind] });
    if (claims?.typ !== kind || typeof claims.loginId !== "string") return null;
    return { loginId: claims.loginId, expiresAt: typeof claims.exp === "number" ? claims.exp : 0 };
  } catch {
    return null;
  }
};

const tokens = createTokenCache();

/** Null when it is invalid, expired or of the other kind. */
export const decodeLogin = async (token: string, kind: TokenKind): Promise<string | null> => {
  if (token.length > 4_096) return null;
  const claims = await tokens.read(`${kind} ${token}`, () => openToken(token, kind));
  return claims?.loginId ?? null;
};

/** Null removes it. */
export const sessionCookie = (token: string | null): string =>
  [
    `${sessionCookieName()}=${token ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${token ? lifeSeconds : 0}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

type OnFailure = (error: AppError) => void;

/** Account and address together. */
export const loginSubject = (email: string, address: string): string => `${uniqueKey(email)} ${address}`;

const authorize = async (credentials: unknown, headers: Record<string, unknown>, onFailure: OnFailure) => {
  const input = loginInput.safeParse(credentials);
  if (!input.success) return null;
  const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
  const address = clientAddress(header("x-forwarded-for"));
  try {
    const ctx = composeContext({ kind: "visitor", address, userAgent: header("user-agent") }, createWideEvent());
    const { RATE_LIMIT_FACTOR: factor } = env();
    await limitCall(ctx, "login", address, factor);
    await limitCall(ctx, "loginAccount", loginSubject(input.data.email, address), factor);
    const login = await logIn(ctx, input.data);
    return { id: login.userId, loginId: login.loginId };
  } catch (thrown) {
    // next-auth would expose the message of a thrown error in its redirect URL.
    const error = toAppError(thrown);
    if (error.code !== "wrong_login") onFailure(error);
    return null;
  }
};

/** Shares its cookie with the documented login call. `onFailure`: errors other than wrong credentials. */
export const authOptions = (onFailure: OnFailure): NextAuthOptions => ({
  secret: env().AUTH_SECRET,
  useSecureCookies: isSecureSite(),
  logger: authLogger,
  session: { strategy: "jwt", maxAge: lifeSeconds },
  pages: { signIn: "/login", error: "/login" },
  providers: [
    Credentials({
      credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
      authorize: (credentials, request) => authorize(credentials, request.headers ?? {}, onFailure),
    }),
  ],
  callbacks: {
    redirect: ({ url, baseUrl }) => baseUrl + safePath(url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url),
    jwt: ({ token, user }) =>
      user && "loginId" in user ? { sub: user.id, loginId: user.loginId, typ: "session" } : token,
    session: async ({ session, token }) => {
      const ctx = composeContext({ kind: "job", name: "session" }, createWideEvent());
      const user = typeof token.loginId === "string" ? await findSessionUser(ctx, token.loginId) : null;
      return user
        ? { expires: session.expires, user: { name: user.username, email: user.email } }
        : { expires: session.expires };
    },
  },
  events: {
    signOut: async ({ token }) => {
      if (typeof token?.loginId !== "string" || typeof token.sub !== "string") return;
      const ctx = composeContext({ kind: "job", name: "sign-out" }, createWideEvent());
      const user = await findSessionUser(ctx, token.loginId);
      if (user) await logOut({ ...ctx, actor: { kind: "user", userId: user.id, loginId: user.loginId, address: "" } });
    },
  },
});
