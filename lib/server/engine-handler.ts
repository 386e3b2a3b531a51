import "server-only";
import { NextRequest } from "next/server";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { clientAddress } from "./address.ts";
import { finishResponse, loggedPath, toErrorResponse } from "./error-response.ts";
import { openRequestEvent } from "./pipeline.ts";
import { countCall } from "./rate-limit.ts";
import { drainBody } from "./upload-files.ts";

type Handler = (request: NextRequest, context: unknown) => Promise<Response>;

/** Steps and events of our functions take a few kilobytes; the proxy in the production guide allows the same. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const SIGNATURE_LIFETIME_MS = 5 * MINUTE_MS;

/** Only the form and the age; the SDK compares the signature, which needs the body. */
const looksSigned = (request: Request): boolean => {
  const parts = new URLSearchParams(request.headers.get("x-inngest-signature") ?? "");
  const [at = "", digest = ""] = [parts.get("t") ?? "", parts.get("s") ?? ""];
  const isFresh = /^\d{1,12}$/.test(at) && Math.abs(Date.now() - Number(at) * SECOND_MS) <= SIGNATURE_LIFETIME_MS;
  return isFresh && /^[0-9a-f]{64}$/i.test(digest);
};

/** @throws AppError `too_many` */
const countRefusal = (request: Request): void => {
  countCall("engine", clientAddress(request.headers.get("x-forwarded-for")), env().RATE_LIMIT_FACTOR, new Date());
};

/** @throws AppError `too_large` */
const readText = async (request: Request): Promise<string> => {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw new AppError("too_large");
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || !value) return Buffer.concat(chunks).toString("utf8");
    size += value.byteLength;
    if (size > BODY_BYTES_MAX) break;
    chunks.push(value);
  }
  // Read to its end without keeping it, so that the caller gets the answer.
  if (reader) await drainBody(reader);
  throw new AppError("too_large");
};

/** The SDK responds with 500 to broken JSON. */
const requireJson = (text: string): void => {
  if (text === "") return;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", { text: "The body is not valid JSON.", cause: error });
  }
};

const checkBody = async (request: NextRequest): Promise<NextRequest> => {
  if (request.method === "GET") return request;
  const text = await readText(request);
  requireJson(text);
  const { url, method } = request;
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  headers.delete("transfer-encoding");
  return new NextRequest(url, { method, headers, ...(text !== "" && { body: text }) });
};

const answer = async (handler: Handler, request: NextRequest, context: unknown): Promise<Response> => {
  if (env().ROLE === "web") throw new AppError("not_found", { text: "This process runs no durable steps." });
  if (!looksSigned(request)) {
    countRefusal(request);
    throw new AppError("unauthenticated", { text: "The call is not signed." });
  }
  const checked = await checkBody(request).catch((refused: unknown) => {
    // The signature is not compared yet, so anyone may have sent it.
    countRefusal(request);
    throw refused;
  });
  const response = await handler(checked, context);
  if (response.status === 401) countRefusal(request);
  return response;
};

/**
 * Protects the durable engine's entry point: unsigned calls are refused before their body is read, bodies are bounded,
 * and refused callers are limited by their address. Calls of the engine itself are never limited.
 */
export const guardEngine =
  (handler: Handler): Handler =>
  async (request, context) => {
    const { pathname } = new URL(request.url);
    const event = openRequestEvent({ method: request.method, path: loggedPath(pathname), route: "/api/inngest" });
    try {
      return await answer(handler, request, context);
    } catch (thrown) {
      const error = toAppError(thrown);
      return finishResponse(toErrorResponse(error, event.requestId, "standard"), event, error);
    }
  };
