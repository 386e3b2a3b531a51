import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

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

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Sends over `node:http`, because fetch gives up on headers after five minutes and steps may take longer.
 * Redirects are not followed.
 * @throws Error when the connection fails, breaks, takes too long or is aborted.
 */
export function sendHttp({ url, method, headers, body, timeoutMs, signal }: HttpRequest): Promise<HttpAnswer> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const payload = Buffer.from(body);
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method,
      agent: false,
      signal: within,
      headers: { ...headers, "content-length": payload.length },
    });
    request.on("error", reject);
    request.on("response", (response) => readAll(response).then((text) => resolve(toAnswer(response, text)), reject));
    request.end(payload);
  });
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
