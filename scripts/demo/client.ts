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
