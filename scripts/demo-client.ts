import { isLoopback } from "./compose.ts";

/** A JSON object of unknown content, read key by key. */
export type Json = Record<string, unknown>;

/** A refused call, with what the product said. */
export class RefusedError extends Error {}

/** The documented HTTP API of a running product, as any program would use it. */
export type ApiClient = {
  get(path: string): Promise<unknown>;
  post(path: string, body: Json): Promise<unknown>;
  /** One request without following redirects, with our cookies and token. */
  raw(url: string): Promise<Response>;
  setToken(token: string): void;
};

/** A client that keeps cookies, as a browser does, and sends the token once it has one. */
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
    if (!response.ok) throw new RefusedError(`${init?.method ?? "GET"} ${path} answered ${response.status}: ${text}`);
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

/** Reads an object. @throws Error when it is something else */
export function asObject(value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`Expected an object, got ${JSON.stringify(value)}.`);
}

/** Reads a list of objects. @throws Error when it is something else */
export function asList(value: unknown): Json[] {
  if (Array.isArray(value)) return value.map(asObject);
  throw new Error(`Expected a list, got ${JSON.stringify(value)}.`);
}

/**
 * Connects an account the way a browser does: the product's `auth_url`, the stand-in's consent form, back to the
 * product with the cookie it set.
 * @returns where the stand-in is.
 * @throws RefusedError when Pinterest is the real one, or the product did not accept the connection
 */
export async function connectAccount(client: ApiClient): Promise<{ pinterestUrl: string }> {
  const { auth_url } = asObject(await client.get("/api/users/pinterest/auth/"));
  const consentUrl = new URL(String(auth_url));
  if (!isLoopback(consentUrl.hostname)) {
    throw new RefusedError(
      "This product talks to the real Pinterest; the demo publishes made-up pins only in its sandbox.",
    );
  }
  const back = await approve(consentUrl);
  const answer = await client.raw(back);
  const target = answer.headers.get("location") ?? "";
  if (!target.includes("success=1"))
    throw new RefusedError(`The account was not connected: ${answer.status} ${target}`);
  return { pinterestUrl: consentUrl.origin };
}

/**
 * Has Pinterest's stand-in count pins as older than they are. Figures of the last two days are never final, so those of
 * pins made just now would be there the day after tomorrow.
 */
export async function countAsOlder(pinterestUrl: string, days: number): Promise<boolean> {
  const answer = await fetch(`${pinterestUrl}/__control/settings`, {
    method: "PATCH",
    body: JSON.stringify({ analyticsHeadStartDays: days }),
  });
  return answer.ok;
}

/** Fills in the consent form: the first account, approved. @returns the product's callback address */
async function approve(consentUrl: URL): Promise<string> {
  const page = await (await fetch(consentUrl)).text();
  const form = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.set(name ?? "", unescapeHtml(value ?? ""));
  }
  form.set("username", unescapeHtml(/type="radio" name="username" value="([^"]*)"/.exec(page)?.[1] ?? ""));
  const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
  if (!action) throw new RefusedError("The consent page has no form; is this the Pinterest stand-in?");
  const answer = await fetch(new URL(action, consentUrl), { method: "POST", body: form, redirect: "manual" });
  const back = answer.headers.get("location");
  if (!back) throw new RefusedError(`The consent page answered ${answer.status}.`);
  return back;
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "");
}

const widthChars = 28;

/** Shows how far something is: one bar that moves on a terminal, a line per change elsewhere. */
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

/** Rows under a heading, columns as wide as their widest cell. */
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

/** Shortened to fit a column. */
export function shorten(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
