import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { isObject, parseJson } from "#sandbox/kit/values.ts";
import { type CallResult, messageOf, readCallResult, SIGNATURE_REFUSED, signRequest } from "./protocol.ts";

export interface AppClient {
  /** Calls a function; never throws. `target` is "step" or the id of a planned step, `body` canonical JSON. */
  call(functionId: string, target: string, runId: string, body: string, signal: AbortSignal): Promise<CallResult>;
  /** In-band sync. @throws Error if the app is unreachable or rejects the sync. */
  sync(signal: AbortSignal): Promise<Record<string, unknown>>;
  close(): void;
}

export interface HttpResponse {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

interface HttpRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

const CALL_TIMEOUT_MS = 2 * 3_600_000;
const SYNC_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Below Node's own five seconds, after which the server closes an idle connection. */
const IDLE_MS = 3_000;

/** @param appUrl the full `http:` URL of the endpoint, without a trailing slash. */
export function createAppClient(appUrl: string, signingKey: string): AppClient {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" });
  const headersFor = (body: string) => ({
    "content-type": "application/json",
    "x-inngest-signature": signRequest(body, signingKey, Date.now()),
  });
  return {
    async call(functionId, target, runId, body, signal) {
      const url = new URL(appUrl);
      url.searchParams.set("fnId", functionId);
      url.searchParams.set("stepId", target);
      const headers = { ...headersFor(body), "x-run-id": runId };
      try {
        const request = { url, method: "POST", headers, body, timeoutMs: CALL_TIMEOUT_MS, signal };
        return readCallResult(await send(request, agent), signingKey);
      } catch (error) {
        return { kind: "unreachable", reason: `The app did not respond: ${messageOf(error)}` };
      }
    },
    async sync(signal) {
      const body = JSON.stringify({ url: appUrl });
      const headers = { ...headersFor(body), "x-inngest-sync-kind": "in_band" };
      const request = { url: new URL(appUrl), method: "PUT", headers, body, timeoutMs: SYNC_TIMEOUT_MS, signal };
      const { status, text } = await send(request, agent);
      if (status === 401) throw new Error(SIGNATURE_REFUSED);
      const parsed = parseJson(text);
      if (status === 200 && isObject(parsed) && Array.isArray(parsed.functions)) return parsed;
      throw new Error(`The app responded to the sync with status ${status} instead of its functions`);
    },
    close: () => agent.destroy(),
  };
}

/** A reused connection broke before any response. */
class StaleConnectionError extends Error {}

/**
 * Uses `node:http`, because fetch gives up on headers after five minutes and steps may take longer. Replaces a reused
 * connection that the server just closed, once. @throws Error when the connection fails, times out or is aborted.
 */
async function send(request: HttpRequest, agent: Agent): Promise<HttpResponse> {
  try {
    return await sendOnce(request, agent);
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw error;
    return await sendOnce(request, false);
  }
}

function sendOnce({ url, method, headers, body, timeoutMs, signal }: HttpRequest, agent: Agent | false) {
  const payload = Buffer.from(body);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error("the response took too long")), timeoutMs);
  const within = AbortSignal.any([signal, deadline.signal]);
  const sent = new Promise<HttpResponse>((resolve, reject) => {
    const allHeaders = { ...headers, "content-length": payload.length };
    const request = requestHttp(url, { method, agent, signal: within, headers: allHeaders });
    // The agent's timeout is for idle connections; a call may be silent for as long as its step takes.
    request.setTimeout(0);
    request.on("error", (error) => {
      const isCut = "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
      const isStale = request.reusedSocket && isCut && !within.aborted;
      reject(isStale ? new StaleConnectionError(error.message) : error);
    });
    request.on("response", (response) => readBody(response).then(resolve, reject));
    request.end(payload);
  });
  return sent.finally(() => clearTimeout(timer));
}

async function readBody(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error("the response is larger than 64 MB");
    chunks.push(chunk);
  }
  const header = (name: string) => [response.headers[name]].flat()[0];
  return { status: response.statusCode ?? 0, header, text: Buffer.concat(chunks).toString("utf8") };
}
