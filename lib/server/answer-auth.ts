import "server-only";
import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { authOptions } from "./auth.ts";
import { openRequestEvent } from "./pipeline.ts";
import { finishResponse, loggedPath, readBytes, toErrorResponse } from "./route.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

const isJson = (request: NextRequest): boolean =>
  request.headers.get("content-type")?.includes("application/json") ?? false;

/** The texts of a JSON object; next-auth knows no other values, and fails on them. */
const textsOf = (bytes: Buffer): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    return Object.fromEntries(Object.entries(Object(body)).filter(([, value]) => typeof value === "string"));
  } catch (error) {
    throw new AppError("invalid", { text: "The body is not valid JSON.", cause: error });
  }
};

/** The request with a body that next-auth can read: not too large, and JSON where it says so. */
const checkBody = async (request: NextRequest): Promise<NextRequest> => {
  const bytes = await readBytes(request);
  const body = isJson(request) ? JSON.stringify(textsOf(bytes)) : new Uint8Array(bytes);
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new NextRequest(request.url, { method: "POST", headers, body });
};

/** next-auth has a callback for its credentials alone, by POST; it fails on every other. */
const checkAction = (method: string, [action, provider]: string[]): void => {
  if (action !== "callback") return;
  if (provider !== "credentials") throw new AppError("not_found");
  if (method !== "POST") throw new AppError("method_not_allowed");
};

const askNextAuth = async (request: NextRequest, context: Context): Promise<Response> => {
  checkAction(request.method, (await context.params).nextauth);
  const checked = request.method === "POST" ? await checkBody(request) : request;
  let refusal: AppError | null = null as AppError | null;
  // Made per request: settings are read when the server runs, not when it is built.
  const options = authOptions((error) => {
    refusal = error;
  });
  const response = await NextAuth(options)(checked, context);
  if (refusal) throw refusal;
  // What fails on our side throws; this is its answer to a `callbackUrl` that is no address.
  if (response.status >= 500) throw new AppError("invalid");
  return response;
};

/** next-auth's own addresses (D7), behind the same error catalogue and log as every other call. */
export const answerAuth = async (request: NextRequest, context: Context): Promise<Response> => {
  const event = openRequestEvent({
    method: request.method,
    path: loggedPath(new URL(request.url).pathname),
    route: "/api/auth/:nextauth",
  });
  let error: AppError | undefined;
  let response: Response;
  try {
    response = await askNextAuth(request, context);
  } catch (thrown) {
    error = toAppError(thrown);
    response = toErrorResponse(error, event.requestId, "standard");
  }
  return finishResponse(response, event, error);
};
