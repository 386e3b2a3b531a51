import { isLoopbackHost } from "#lib/core/loopback.ts";

/** A JSON object of unknown content. */
export type Json = Record<string, unknown>;

/** A failed call, with the product's message. */
export class DemoError extends Error {}

/** A client of the documented HTTP API of a running product. */
export type ApiClient = {
  get(path: string): Promise<unknown>;
  post(path: string, body: Json): Promise<unknown>;
  /** One request without following redirects, with cookies and token. */
  raw(url: string): Promise<Response>;
  setToken(token: string): void;
};

/** Creates a client that keeps cookies like a browser, and sends the token once it is set. */
export function createClient(baseUrl: string): ApiClient {
  const cookies = new Map<string, string>();
  let token: string | undefined;

  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", ...value] = (line.split(";")[0] ?? "").split("=");
      cookies.set(name.trim(), value.join("="));
    }
    return response;
  };

  const call = async (path: string, init?: RequestInit): Promise<unknown> => {
    const response = await send(`${baseUrl}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new DemoError(`${init?.method ?? "GET"} ${path} returned ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };

  return {
    get: (path) => call(path),
    post: (path, body) =>
      call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    raw: (url) => send(url),
    setToken: (value) => {
      token = value;
    },
  };
}

/** @throws Error if the value is not an object */
export function asObject(value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`Expected an object, got ${JSON.stringify(value)}.`);
}

/** @throws Error if the value is not a list of objects */
export function asList(value: unknown): Json[] {
  if (Array.isArray(value)) return value.map(asObject);
  throw new Error(`Expected a list, got ${JSON.stringify(value)}.`);
}

/**
 * Connects an account like a browser does: the product's `auth_url`, the stand-in's consent form, and back to the
 * product with its cookie.
 * @returns the stand-in's URL.
 * @throws DemoError if Pinterest is the real one, or the product rejects the connection
 */
export async function connectAccount(client: ApiClient): Promise<{ pinterestUrl: string }> {
  const { auth_url } = asObject(await client.get("/api/users/pinterest/auth/"));
  const consentUrl = new URL(String(auth_url));
  if (!isLoopbackHost(consentUrl.hostname)) {
    throw new DemoError(
      "This product uses the real Pinterest. The demo publishes made-up pins, so it only runs in the sandbox.",
    );
  }
  const back = await approve(consentUrl);
  const response = await client.raw(back);
  const target = response.headers.get("location") ?? "";
  if (!target.includes("success=1")) throw new DemoError(`The account was not connected: ${response.status} ${target}`);
  return { pinterestUrl: consentUrl.origin };
}

/**
 * Makes Pinterest's stand-in treat pins as older than they are, because metrics of the last two days are never final.
 * Returns whether it worked.
 */
export async function backdateAnalytics(pinterestUrl: string, days: number): Promise<boolean> {
  const response = await fetch(`${pinterestUrl}/__control/settings`, {
    method: "PATCH",
    body: JSON.stringify({ analyticsHeadStartDays: days }),
  });
  return response.ok;
}

/** Submits the consent form: approves the first account. @returns the product's callback URL */
async function approve(consentUrl: URL): Promise<string> {
  const page = await (await fetch(consentUrl)).text();
  const form = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.set(name ?? "", unescapeHtml(value ?? ""));
  }
  form.set("username", unescapeHtml(/type="radio" name="username" value="([^"]*)"/.exec(page)?.[1] ?? ""));
  const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
  if (!action) throw new DemoError("The consent page has no form. Is this the Pinterest stand-in?");
  const response = await fetch(new URL(action, consentUrl), { method: "POST", body: form, redirect: "manual" });
  const back = response.headers.get("location");
  if (!back) throw new DemoError(`The consent page returned ${response.status}.`);
  return back;
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "");
}

const widthChars = 28;

/** Shows progress: a bar that updates in place on a terminal, a line per change elsewhere. */
export function createProgress(label: string): { show(done: number, total: number, note: string): void; end(): void } {
  const isTerminal = process.stdout.isTTY;
  let last = "";
  return {
    show: (done, total, note) => {
      const line = `${label.padEnd(12)} ${barOf(done, total)} ${done}/${total} ${note}`;
      if (line === last) return;
      last = line;
      process.stdout.write(isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
    },
    end: () => {
      if (isTerminal) process.stdout.write("\n");
    },
  };
}

function barOf(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round((Math.min(done, total) / total) * widthChars);
  return `${"█".repeat(filled)}${"░".repeat(widthChars - filled)}`;
}

/** Formats rows as a table with a heading. */
export function tableOf(heading: string[], rows: string[][]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const lineOf = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [lineOf(heading), lineOf(widths.map((width) => "─".repeat(width))), ...rows.map(lineOf)].join("\n");
}

export function shorten(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
