import "server-only";
import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "#lib/core/errors.ts";
import { isWorkerPath, type Role } from "#lib/core/roles.ts";
import { securityHeaders } from "#lib/core/security-headers.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { isDevelopment } from "#lib/env.ts";
import { AUDIENCE_PATHS } from "#lib/features/oauth/constants.ts";
import { respondToAction } from "./action-start.ts";
import { loggedPath, toErrorBody } from "./error-response.ts";
import { openRequestEvent } from "./pipeline.ts";
import { dropUnreadableState } from "./router-state.ts";
import { PROBLEM_TYPE, toProblem } from "./v1/problem.ts";

/** 900 MB at 4 Mbit/s. */
const UPLOAD_MAX_MS = 30 * MINUTE_MS;

type Headers = Readonly<Record<string, string>>;

/** Next crashes on TRACE, and treats other methods like GET. */
const USUAL = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

const WORKER_ONLY = "This process only runs background work. Another one serves pages and calls.";

const API_PATH = AUDIENCE_PATHS.api;

const isPublicApi = (path: string): boolean => path === API_PATH || path.startsWith(`${API_PATH}/`);

const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?")[0] ?? "";

/** Next crashes on malformed percent-encoding, so such a request is for a path that does not exist. */
const replaceMalformedPath = (request: IncomingMessage): void => {
  const path = pathOf(request);
  try {
    decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    const place = isPublicApi(path) ? `${API_PATH}/` : path.startsWith("/api/") ? "/api/" : "/";
    request.url = `${place}malformed`;
  }
};

const refusalOf = (request: IncomingMessage, role: Role): AppError | undefined => {
  if (!USUAL.includes(request.method ?? "")) return new AppError("method_not_allowed");
  if (role !== "worker" || isWorkerPath(pathOf(request))) return undefined;
  return new AppError("not_found", { text: WORKER_ONLY });
};

const refuse = (error: AppError, request: IncomingMessage, response: ServerResponse, headers: Headers): void => {
  const path = pathOf(request);
  const event = openRequestEvent({ method: request.method ?? "", path: loggedPath(path) });
  const [type, body] = isPublicApi(path)
    ? [PROBLEM_TYPE, toProblem(error, event.requestId)]
    : ["application/json", toErrorBody(error, event.requestId, "standard")];
  response.writeHead(error.status, {
    ...headers,
    "Content-Type": type,
    "Cache-Control": "no-store",
    ...(error.code === "method_not_allowed" && { Allow: USUAL.join(", ") }),
    "X-Request-Id": event.requestId,
  });
  response.end(JSON.stringify(body));
  event.finish({ status: error.status, error });
};

/** As Node chooses them, by the parser's error code. */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const rawResponse = (status: number, headers: Headers): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries({ ...headers, "Content-Length": "0", Connection: "close" }).map((pair) => pair.join(": ")),
    "\r\n",
  ].join("\r\n");

const takeOver = (server: Server, headers: Headers, role: Role): void => {
  // Next cuts these connections. Only its development server has a protocol to change to.
  if (!isDevelopment()) Object.assign(server, { shouldUpgradeCallback: () => false });
  // Node's 5 minutes cut uploads of videos; all bodies are limited, and uploads end after 30 seconds without data.
  server.requestTimeout = UPLOAD_MAX_MS;
  const busy = new WeakSet<Socket>();
  const emit = server.emit.bind(server);
  server.emit = (name: string, ...values: unknown[]): boolean => {
    const [request, response] = values;
    if (name !== "request" || !(request instanceof IncomingMessage && response instanceof ServerResponse))
      return emit(name, ...values);
    busy.add(request.socket);
    response.once("close", () => busy.delete(request.socket));
    const error = refusalOf(request, role);
    if (error !== undefined) {
      refuse(error, request, response, headers);
      return true;
    }
    replaceMalformedPath(request);
    dropUnreadableState(request.headers);
    return respondToAction(request, response, () => emit(name, ...values));
  };
  // Replaces Node's bare response. A response that has begun must not be followed by another.
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || busy.has(socket)) socket.destroy();
    else socket.end(rawResponse(PARSER_STATUS[error.code ?? ""] ?? 400, headers));
  });
};

/**
 * Refuses methods that Next does not know and, in a worker, all paths but its own. Replaces malformed paths. Gives the
 * security headers to these answers and to what Node's parser rejects.
 */
export const answerUnusualRequests = (appUrl: string, role: Role): void => {
  const headers = securityHeaders(appUrl);
  const known = new WeakSet<Server>();
  // Published before the server emits the request, so the first one is covered as well.
  subscribe("http.server.request.start", (message) => {
    const { server } = message as { server: Server };
    if (known.has(server)) return;
    known.add(server);
    takeOver(server, headers, role);
  });
};
