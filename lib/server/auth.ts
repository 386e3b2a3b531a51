import "server-only";
import type { NextAuthOptions } from "next-auth";
import { decode, encode } from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { composeContext } from "#lib/composition.ts";
import { AppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { LOGIN_LIFE_MS } from "#lib/features/identity/constants.ts";
import { logIn, type OpenedLogin } from "#lib/features/identity/log-in.ts";
import { logOut } from "#lib/features/identity/log-out.ts";
import { findSessionUser } from "#lib/features/identity/queries.ts";
import { loginInput } from "#lib/features/identity/schema.ts";
import { countCall } from "./rate-limit.ts";

/** The cookie and the access token carry the same login, under different salts: one cannot be used as the other. */
export type TokenKind = "session" | "access";

const SALTS: Record<TokenKind, string> = { session: "", access: "accessToken" };
const lifeSeconds = LOGIN_LIFE_MS / SECOND_MS;

const isSecure = (): boolean => env().APP_URL.startsWith("https:");

/** Name of the session cookie: next-auth's own. */
export const sessionCookieName = (): string => `${isSecure() ? "__Secure-" : ""}next-auth.session-token`;

/** A login as an encrypted token (D7). */
export const encodeLogin = (login: Pick<OpenedLogin, "userId" | "loginId">, kind: TokenKind): Promise<string> =>
  encode({
    token: { sub: login.userId, loginId: login.loginId, typ: kind },
    secret: env().AUTH_SECRET,
    maxAge: lifeSeconds,
    salt: SALTS[kind],
  });

/** The login id in a token of that kind, else null for anything altered, expired or of the other kind. */
export const decodeLogin = async (token: string, kind: TokenKind): Promise<string | null> => {
  if (token.length > 4_096) return null;
  try {
    const claims = await decode({ token, secret: env().AUTH_SECRET, salt: SALTS[kind] });
    return claims?.typ === kind && typeof claims.loginId === "string" ? claims.loginId : null;
  } catch {
    // jose throws on every token that is not ours; to a caller they are all alike.
    return null;
  }
};

/** `Set-Cookie` of an opened login, or of its end when the token is null. */
export const sessionCookie = (token: string | null): string =>
  [
    `${sessionCookieName()}=${token ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    `Max-Age=${token ? lifeSeconds : 0}`,
    ...(isSecure() ? ["Secure"] : []),
  ].join("; ");

const authorize = async (credentials: unknown, address: string) => {
  const input = loginInput.safeParse(credentials);
  if (!input.success) return null;
  const ctx = composeContext({ kind: "visitor", address }, createWideEvent());
  countCall("login", address, env().RATE_LIMIT_FACTOR, ctx.now());
  try {
    const login = await logIn(ctx, input.data);
    return { id: login.userId, loginId: login.loginId };
  } catch (error) {
    if (error instanceof AppError && error.code === "wrong_login") return null;
    throw error;
  }
};

const forwardedAddress = (headers: Record<string, unknown> | undefined): string => {
  const value = headers?.["x-forwarded-for"];
  return typeof value === "string" ? (value.split(",").at(-1)?.trim() ?? "unknown") : "unknown";
};

/** next-auth's options; its cookie is the one that the documented login sets as well. */
export const authOptions = (): NextAuthOptions => ({
  secret: env().AUTH_SECRET,
  useSecureCookies: isSecure(),
  session: { strategy: "jwt", maxAge: lifeSeconds },
  pages: { signIn: "/login" },
  providers: [
    Credentials({
      credentials: { email: { label: "Email" }, password: { label: "Password", type: "password" } },
      authorize: (credentials, request) => authorize(credentials, forwardedAddress(request.headers)),
    }),
  ],
  callbacks: {
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
