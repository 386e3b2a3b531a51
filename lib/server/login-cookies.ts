import "server-only";
import { randomToken } from "#lib/core/digest.ts";
import { CSRF_COOKIE } from "#lib/features/identity/constants.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import { callerOf } from "./actor.ts";
import { encodeLogin, isSecureSite, sessionCookie } from "./auth.ts";

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

/** The cookies of an opened login: the session's, and the CSRF token where the browser has none. */
export const loginCookies = async (
  login: Pick<OpenedLogin, "userId" | "loginId">,
  request: Request,
): Promise<Headers> => {
  const headers = new Headers({ "set-cookie": sessionCookie(await encodeLogin(login, "session")) });
  if (callerOf(request).cookie(CSRF_COOKIE) === null) headers.append("set-cookie", csrfCookie());
  return headers;
};
