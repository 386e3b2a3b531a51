import "server-only";
import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { AppError, toAppError } from "#lib/core/errors.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import { authOptions, knownBrowserCookie } from "./auth.ts";
import { readBytes } from "./body.ts";
import { finishResponse, loggedPath, toErrorResponse } from "./error-response.ts";
import { refuseForeignOrigin } from "./origins.ts";
import { openRequestEvent } from "./pipeline.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

const isJson = (request: NextRequest): boolean =>
  request.headers.get("content-type")?.includes("application/json") ?? false;

/** next-auth crashes on other values. */
const textsOf = (bytes: Buffer): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    return Object.fromEntries(Object.entries(Object(body)).filter(([, value]) => typeof value === "string"));
  } catch (error) {
    throw new AppError("invalid", { text: "The body is not valid JSON.", cause: error });
  }
};

const checkBody = async (request: NextRequest): Promise<NextRequest> => {
  refuseForeignOrigin(request);
  const bytes = await readBytes(request);
  const body = isJson(request) ? JSON.stringify(textsOf(bytes)) : new Uint8Array(bytes);
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new NextRequest(request.url, { method: "POST", headers, body });
};

/** next-auth supports only the credentials callback, by POST, and crashes on others. */
const checkAction = (method: string, [action, provider]: string[]): void => {
  // Would write whatever a stranger sends into the log.
  if (action === "_log") throw new AppError("not_found");
  if (action !== "callback") return;
  if (provider !== "credentials") throw new AppError("not_found");
  if (method !== "POST") throw new AppError("method_not_allowed");
};

const callNextAuth = async (request: NextRequest, context: Context): Promise<Response> => {
  checkAction(request.method, (await context.params).nextauth);
  const checked = request.method === "POST" ? await checkBody(request) : request;
  let refusal: AppError | null = null as AppError | null;
  let opened: OpenedLogin | null = null as OpenedLogin | null;
  // Per request, because settings are read at run time.
  const options = authOptions({
    onFailure: (error) => {
      refusal = error;
    },
    onLogin: (login) => {
      opened = login;
    },
  });
  const response = await NextAuth(options)(checked, context);
  if (refusal) throw refusal;
  if (opened) response.headers.append("set-cookie", knownBrowserCookie(opened.knownBrowser));
  // Our own failures throw; next-auth responds with 500 to an invalid `callbackUrl`.
  if (response.status >= 500) throw new AppError("invalid");
  return response;
};

export const answerAuth = async (request: NextRequest, context: Context): Promise<Response> => {
  const event = openRequestEvent({
    method: request.method,
    path: loggedPath(new URL(request.url).pathname),
    route: "/api/auth/:nextauth",
  });
  let error: AppError | undefined;
  let response: Response;
  try {
    response = await callNextAuth(request, context);
  } catch (thrown) {
    error = toAppError(thrown);
    response = toErrorResponse(error, event.requestId, "standard");
  }
  return finishResponse(response, event, error);
};
