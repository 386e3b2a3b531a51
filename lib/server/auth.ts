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
import { LOGIN_LIFE_MS } from "#lib/features/identity/constants.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { loginInput } from "#lib/features/identity/schema.ts";
import { logIn, logOut, type OpenedLogin } from "#lib/features/identity/sessions.ts";
import { clientAddress } from "./address.ts";
import { countCall } from "./rate-limit.ts";

/** What a token says, whatever has become of its login since. */
interface TokenClaims {
  loginId: string;
  /** Seconds since 1970 at which the token ends. */
  expiresAt: number;
}

const KEPT_MS = MINUTE_MS;
const MOST_KEPT = 5_000;

/**
 * Remembers for a minute what tokens said, by their digest: opening one costs as much as a query. What a token says
 * never changes; whether its login still lives is asked of the database every time, so revoking loses nothing by this.
 */
export const createTokenMemory = (now: () => number = () => Date.now()) => {
  const kept = new Map<string, { claims: TokenClaims; untilMs: number }>();
  const read = async (name: string, open: () => Promise<TokenClaims | null>): Promise<TokenClaims | null> => {
    const key = hash("sha256", name, "base64url");
    const known = kept.get(key);
    if (known && now() < Math.min(known.untilMs, known.claims.expiresAt * SECOND_MS)) return known.claims;
    kept.delete(key);
    const claims = await open();
    if (!claims) return null;
    // The oldest goes first; a flood of good tokens only costs the opening again.
    if (kept.size >= MOST_KEPT) for (const oldest of [...kept.keys()].slice(0, MOST_KEPT / 10)) kept.delete(oldest);
    kept.set(key, { claims, untilMs: now() + KEPT_MS });
    return claims;
  };
  return { read, size: () => kept.size };
};

/** The cookie and the access token carry the same login, under different salts: one cannot be used as the other. */
type TokenKind = "session" | "access";

const SALTS: Record<TokenKind, string> = { session: "", access: "accessToken" };
const lifeSeconds = LOGIN_LIFE_MS / SECOND_MS;

/** Whether the site is https, so that cookies must be `Secure`. */
export const isSecureSite = (): boolean => env().APP_URL.startsWith("https:");

/** Name of the session cookie: next-auth's own. */
export const sessionCookieName = (): string => `${isSecureSite() ? "__Secure-" : ""}next-auth.session-token`;

/** A login as an encrypted token (D7). */
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
    // jose throws on every token that is not ours; to a caller they are all alike.
    return null;
  }
};

const tokens = createTokenMemory();

/** The login id in a token of that kind, else null for anything altered, expired or of the other kind. */
export const decodeLogin = async (token: string, kind: TokenKind): Promise<string | null> => {
  if (token.length > 4_096) return null;
  const claims = await tokens.read(`${kind} ${token}`, () => openToken(token, kind));
  return claims?.loginId ?? null;
};

/** `Set-Cookie` of an opened login, or of its end when the token is null. */
export const sessionCookie = (token: string | null): string =>
  [
    `${sessionCookieName()}=${token ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${token ? lifeSeconds : 0}`,
    ...(isSecureSite() ? ["Secure"] : []),
  ].join("; ");

type Refused = (error: AppError) => void;

/** What the limit on logins to one account counts: account and address together (decision 0003). */
export const loginSubject = (email: string, address: string): string => `${uniqueKey(email)} ${address}`;

const authorize = async (credentials: unknown, headers: Record<string, unknown>, refused: Refused) => {
  const input = loginInput.safeParse(credentials);
  if (!input.success) return null;
  const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : null);
  const address = clientAddress(header("x-forwarded-for"));
  try {
    const ctx = composeContext({ kind: "visitor", address, userAgent: header("user-agent") }, createWideEvent());
    const { RATE_LIMIT_FACTOR: factor } = env();
    countCall("login", address, factor, ctx.now());
    countCall("loginAccount", loginSubject(input.data.email, address), factor, ctx.now());
    const login = await logIn(ctx, input.data);
    return { id: login.userId, loginId: login.loginId };
  } catch (thrown) {
    // next-auth would put the text of anything thrown here into the address it answers.
    const error = toAppError(thrown);
    if (error.code !== "wrong_login") refused(error);
    return null;
  }
};

/**
 * next-auth's options; its cookie is the one that the documented login sets as well.
 * @param refused hears of a login that failed for another reason than its credentials
 */
export const authOptions = (refused: Refused): NextAuthOptions => ({
  secret: env().AUTH_SECRET,
  useSecureCookies: isSecureSite(),
  session: { strategy: "jwt", maxAge: lifeSeconds },
  pages: { signIn: "/login", error: "/login" },
  providers: [
    Credentials({
      credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
      authorize: (credentials, request) => authorize(credentials, request.headers ?? {}, refused),
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
