import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Calls, Problem } from "./api.d.ts";

/** A failure to show to the user. Exit codes: 1 for a failed call, 2 for a wrong command. */
export class CliError extends Error {
  readonly exitCode: 1 | 2;
  /** The API's code, for a failed call. */
  readonly code: string | undefined;
  constructor(message: string, exitCode: 1 | 2 = 1, code?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export interface Access {
  /** The origin of the product. */
  url: string;
  /** The bearer token; `refused`: the one that the API didn't accept. @throws CliError */
  token(refused?: string): Promise<string>;
}

export type Client = <C extends keyof Calls>(
  call: C,
  input: Calls[C]["input"],
  /** The same key never does the same write twice within a day. */
  idempotencyKey?: string,
) => Promise<Calls[C]["output"]>;

const replays = new WeakSet<object>();

/** Whether the output is the first answer to a repeated write, so that things may have changed since. */
export const isReplay = (output: object): boolean => replays.has(output);

const ATTEMPTS = 4;
const WAIT_SHOWN_MS = 5_000;
const PASSING_STATUSES = [429, 502, 503, 504];
/** The same write is still running. */
const IN_PROGRESS = /"code":"write_in_progress"/;

const toError = (text: string, status: number): CliError => {
  // Proxies answer with pages of their own.
  if (!text.startsWith("{")) return new CliError(`The server responded with ${status}.`);
  const { detail, code, errors = [] }: Problem = JSON.parse(text);
  const lines = [`${detail} (${code})`, ...errors.map((one) => `  ${one.field}: ${one.detail}`)];
  return new CliError(lines.join("\n"), 1, code);
};

const toRequest = (call: string, input: Record<string, unknown>) => {
  const [method = "GET", pattern = ""] = call.split(" ");
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (method === "GET" || method === "DELETE") {
    const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString();
    return { method, path: query ? `${path}?${query}` : path, headers: {}, body: undefined };
  }
  const files = [...rest].filter(([, value]) => value instanceof Blob);
  if (files.length === 0) {
    const headers = { "content-type": "application/json" };
    return { method, path, headers, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const form = new FormData();
  for (const [name, value] of files) if (value instanceof Blob) form.set(name, value, "file");
  return { method, path, headers: {}, body: form };
};

/** The longest window of the API's limits. */
const WAIT_MAX_SECONDS = 3_600;

const waitOf = (response: Response | null, attempt: number): number => {
  const seconds = Number(response?.headers.get("retry-after"));
  return seconds > 0 ? Math.min(seconds, WAIT_MAX_SECONDS) * 1_000 : 500 * 2 ** attempt;
};

/**
 * A client of `/api/v1`, typed by its specification. Passing failures are tried again; writes are safe to repeat.
 * @param onWait before a wait of more than a few seconds
 */
export const createClient = ({ url, token }: Access, onWait: (seconds: number) => void): Client => {
  const send = async (request: ReturnType<typeof toRequest>, bearer: string, key: string): Promise<Response | null> => {
    try {
      return await fetch(`${url}/api/v1${request.path}`, {
        method: request.method,
        headers: { ...request.headers, authorization: `Bearer ${bearer}`, "idempotency-key": key },
        ...(request.body !== undefined && { body: request.body }),
      });
    } catch (error) {
      // A repeated deletion or edit could report a wrong result.
      if (request.method !== "GET" && request.method !== "POST") throw error;
      return null;
    }
  };
  return async (call, input, idempotencyKey = randomUUID()) => {
    const request = toRequest(call, input);
    let bearer = await token();
    let wasRefused = false;
    for (let attempt = 0; ; attempt++) {
      const response = await send(request, bearer, idempotencyKey);
      const isLast = attempt + 1 >= ATTEMPTS;
      if (response?.status === 401 && !wasRefused) {
        wasRefused = true;
        bearer = await token(bearer);
        continue;
      }
      const text = (await response?.text()) ?? "";
      const isPassing = response && (PASSING_STATUSES.includes(response.status) || IN_PROGRESS.test(text));
      if (response && !isPassing) {
        if (!response.ok) throw toError(text, response.status);
        const output = text === "" ? null : JSON.parse(text);
        if (response.headers.get("idempotency-replayed") === "true" && output) replays.add(output);
        return output;
      }
      if (isLast) {
        throw response ? toError(text, response.status) : new CliError(`Can't reach ${url}.`);
      }
      const waitMs = waitOf(response, attempt);
      if (waitMs > WAIT_SHOWN_MS) onWait(Math.ceil(waitMs / 1_000));
      await delay(waitMs);
    }
  };
};
