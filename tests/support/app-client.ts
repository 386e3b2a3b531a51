import { fixturesOf, type RunningProduct } from "./fixtures/product.ts";
import { controlPinterest } from "./pinterest.ts";

interface CallOptions {
  method?: string;
  /** An object is sent as JSON, a string unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A response whose text was read; `json` is null unless the text is JSON. */
export interface AppResponse {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** A signed-in user of a running app, whose calls send a bearer token. */
export interface SignedInUser {
  email: string;
  token: string;
  call(path: string, options?: CallOptions): Promise<AppResponse>;
}

/** Calls to a running app over HTTP. */
export interface AppClient {
  callApp(path: string, options?: CallOptions): Promise<AppResponse>;
  /** A new user with a login, inserted into the database. */
  signUp(): Promise<SignedInUser>;
  /** Answers the consent page; returns the callback that Pinterest redirects to, and the browser's cookie. */
  completeConsent(
    user: SignedInUser,
    decision: { username?: string; decision?: "approve" | "deny" },
    query?: string,
  ): Promise<{ callbackPath: string; cookie: string }>;
  /** Connects a new Pinterest account to a user; returns its id and username. */
  connectOverHttp(user: SignedInUser, boards?: number): Promise<{ id: string; username: string }>;
}

/** Longer than any response on a loaded machine; without a limit a stuck app would hang its test. */
const RESPONSE_TIMEOUT_MS = 60_000;

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};

const cookieOf = (answer: AppResponse): string => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

const callerOf =
  (baseUrl: string): AppClient["callApp"] =>
  async (path, options = {}) => {
    const { method = "GET", body, headers = {} } = options;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: toJson(text) };
  };

const signedInUser = (callApp: AppClient["callApp"], email: string, token: string): SignedInUser => ({
  email,
  token,
  call: (path, options = {}) =>
    callApp(path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } }),
});

/** A client of a running app and its Pinterest stand-in. */
export const clientOf = (product: RunningProduct): AppClient => {
  const callApp = callerOf(product.baseUrl);
  const pinterest = controlPinterest(product.pinterestUrl);
  const fixtures = fixturesOf(product);
  const completeConsent: AppClient["completeConsent"] = async (user, decision, query = "") => {
    const begun = await user.call(`/api/users/pinterest/auth/${query}`);
    const { auth_url } = Object(begun.json);
    if (typeof auth_url !== "string") throw new Error(`auth returned ${begun.status}: ${begun.text}`);
    const returned = await pinterest.completeConsent(auth_url, decision);
    const parameters = new URLSearchParams(Object.entries(returned));
    return { callbackPath: `/api/users/pinterest/callback/?${parameters}`, cookie: cookieOf(begun) };
  };
  return {
    callApp,
    signUp: async () => {
      const user = await fixtures.user();
      const { token } = await fixtures.login(user);
      return signedInUser(callApp, user.email, token);
    },
    completeConsent,
    connectOverHttp: async (user, boards = 3) => {
      const username = await pinterest.createAccount(boards);
      const { callbackPath, cookie } = await completeConsent(user, { username });
      const back = await callApp(callbackPath, { headers: { cookie } });
      const location = back.headers.get("location");
      if (location !== "/app/?success=1") throw new Error(`The callback redirected to ${location}`);
      const { json } = await user.call("/api/users/pinterest/accounts/");
      const accounts = Array.isArray(json) ? json : [];
      const account = accounts.find((candidate) => candidate.username === username);
      if (!account) throw new Error("The connected account is not listed.");
      return { id: account.id, username };
    },
  };
};
