import { randomBytes } from "node:crypto";
import { isLoopbackHost } from "#lib/core/loopback.ts";
import { OperatorError } from "./operator.ts";

/** A JSON object of unknown content. */
export type Json = Record<string, unknown>;

/** A client of the documented HTTP API of a running product. */
type ApiClient = {
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
    if (!response.ok) throw new OperatorError(`${init?.method ?? "GET"} ${path} returned ${response.status}: ${text}`);
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

export type Login = { email: string; password: string };

/** Registers a user with a made-up email address, and signs the client in. */
export async function signUp(client: ApiClient, name: { first_name: string; last_name: string }): Promise<Login> {
  const username = `${name.first_name.toLowerCase()}_${randomBytes(4).toString("hex")}`;
  const login = { email: `${username}@example.com`, password: randomBytes(12).toString("base64url") };
  await client.post("/api/users/register/", { username, ...name, ...login, confirmPassword: login.password });
  client.setToken(String(asObject(await client.post("/api/users/login/", login)).accessToken));
  return login;
}

/**
 * Connects an account like a browser does: the product's `auth_url`, the stand-in's consent form, and back to the
 * product with its cookie.
 * @returns the stand-in's URL.
 * @throws OperatorError if Pinterest is the real one, or the product rejects the connection
 */
export async function connectAccount(client: ApiClient): Promise<{ pinterestUrl: string }> {
  const { auth_url } = asObject(await client.get("/api/users/pinterest/auth/"));
  const consentUrl = new URL(String(auth_url));
  if (!isLoopbackHost(consentUrl.hostname)) {
    throw new OperatorError(
      "This product uses the real Pinterest. The demo publishes made-up pins, so it only runs in the sandbox.",
    );
  }
  const back = await approve(consentUrl);
  const response = await client.raw(back);
  const target = response.headers.get("location") ?? "";
  if (!target.includes("success=1"))
    throw new OperatorError(`The account was not connected: ${response.status} ${target}`);
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
  if (!action) throw new OperatorError("The consent page has no form. Is this the Pinterest stand-in?");
  const response = await fetch(new URL(action, consentUrl), { method: "POST", body: form, redirect: "manual" });
  const back = response.headers.get("location");
  if (!back) throw new OperatorError(`The consent page returned ${response.status}.`);
  return back;
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? "");
}
