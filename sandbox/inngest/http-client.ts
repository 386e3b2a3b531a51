import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

/** One request; `timeoutMs` covers all of it. */
export interface HttpRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A complete answer. */
export interface HttpAnswer {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

/** Connections to one server, kept open between requests. */
export interface Connections {
  /**
   * Sends over `node:http`, because fetch gives up on headers after five minutes and steps may take longer.
   * Redirects are not followed. A kept connection that the server closed just then is replaced once.
   * @throws Error when the connection fails, breaks, takes too long or is aborted.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Below Node's own five seconds, after which a server closes a connection that is not used. */
const IDLE_MS = 3_000;

/** Opens no connection yet. */
export function openConnections(server: URL): Connections {
  const options = { keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" } as const;
  const agent = server.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  return {
    async send(request) {
      try {
        return await sendOnce(request, agent);
      } catch (error) {
        if (!(error instanceof StaleConnectionError)) throw error;
        return await sendOnce(request, false);
      }
    },
    close: () => agent.destroy(),
  };
}

/** A kept connection broke before anything was answered on it. */
class StaleConnectionError extends Error {}

function sendOnce(
  { url, method, headers, body, timeoutMs, signal }: HttpRequest,
  agent: HttpAgent | HttpsAgent | false,
): Promise<HttpAnswer> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const payload = Buffer.from(body);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error("the answer took too long")), timeoutMs);
  const within = AbortSignal.any([signal, deadline.signal]);
  const sent = new Promise<HttpAnswer>((resolve, reject) => {
    const request = send(url, {
      method,
      agent,
      signal: within,
      headers: { ...headers, "content-length": payload.length },
    });
    // The agent's timeout is for idle connections; a call may be silent for as long as its step takes.
    request.setTimeout(0);
    request.on("error", (error) => {
      const isCut = "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
      const isStale = request.reusedSocket && isCut && !within.aborted;
      reject(isStale ? new StaleConnectionError(error.message) : error);
    });
    request.on("response", (response) => readAll(response).then((text) => resolve(toAnswer(response, text)), reject));
    request.end(payload);
  });
  return sent.finally(() => clearTimeout(timer));
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("the answer is larger than 64 MB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function toAnswer(response: IncomingMessage, text: string): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    text,
  };
}
