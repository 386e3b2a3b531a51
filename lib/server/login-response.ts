import "server-only";
import type { AppError } from "#lib/core/errors.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import { loginCookies, secondStepCookie } from "./actor.ts";
import { encodeLogin } from "./auth.ts";

export const loginResponse = async (login: OpenedLogin, request: Request): Promise<Response> =>
  Response.json({ accessToken: await encodeLogin(login, "access") }, { headers: await loginCookies(login, request) });

/** For browsers, which continue on a page that can't read the response. */
export const challengeCookie = ({ code, more }: AppError): Record<string, string> =>
  code === "second_step_required" && typeof more?.challenge === "string"
    ? { "set-cookie": secondStepCookie(more.challenge) }
    : {};
