import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "#lib/core/time.ts";
import { startPinterest } from "#sandbox/pinterest/server.ts";

/** A fault rule of the stand-in (`sandbox/kit/faults.ts`). */
type Fault = { match: string; scenario?: string; times?: number; skip?: number } & Record<string, unknown>;

/** The query of Pinterest's redirect to the callback. */
export interface Returned {
  state?: string;
  code?: string;
  error?: string;
}

interface Decision {
  username?: string;
  decision?: "approve" | "deny";
  /** Fewer scopes than requested, as when the user grants less. */
  scopes?: readonly string[];
}

/** A pin of the stand-in. */
export interface PublicPin {
  id: string;
  board_id: string;
  title: string;
  description: string;
  link: string | null;
  /** ISO 8601, by the stand-in's clock. */
  created_at: string;
}

/** A pin to add to a board; `created_at` is ISO 8601, by default the stand-in's current time. */
export interface SeededPin {
  board_id: string;
  title: string;
  description?: string;
  link?: string | null;
  created_at?: string;
}

/** A logged request. */
export interface LoggedRequest {
  path: string;
  status: number;
  /** ISO 8601, by the stand-in's clock. */
  at: string;
  /** For example, the account of its token. */
  labels?: Record<string, string>;
}

/** The maximum number of requests in any minute, by Pinterest's clock. */
export const busiestMinute = (requests: readonly LoggedRequest[]): number => {
  const times = requests.map(({ at }) => Date.parse(at));
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length));
};

/** The response to the exchange of a code. */
interface GrantedTokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  refresh_token_expires_in: number;
  scope: string;
}

interface Consent {
  username: string;
  client: { id: string; secret: string };
  redirectUri: string;
  scopes: readonly string[];
}

/** A running Pinterest stand-in with helpers for tests. */
export interface PinterestControl {
  url: string;
  /** Creates an account with boards; returns its username. */
  createAccount(boards?: number): Promise<string>;
  boardsOf(username: string): Promise<{ id: string; name: string; privacy: string }[]>;
  /** The pins that an account published through the API. */
  pinsOf(username: string): Promise<PublicPin[]>;
  /**
   * Adds pins to an account; returns their ids in the same order. `tests/support/analytics-pins.ts` also adds them to
   * our database.
   */
  seedPins(username: string, pins: readonly SeededPin[]): Promise<string[]>;
  /** Deletes a pin at Pinterest without our knowledge. */
  removePin(id: string): Promise<void>;
  removeSection(boardId: string, sectionId: string): Promise<void>;
  /** Multiplies the outbound clicks of pins whose title or description contains all of these words. */
  setClickFactor(words: string, factor: number): Promise<void>;
  /** Changes settings of the stand-in (`sandbox/pinterest/settings.ts`) until they are changed back. */
  set(settings: Record<string, string | number | boolean>): Promise<void>;
  /** Requests whose `METHOD /path` matches, oldest first, with the status of each response. */
  requests(fits: RegExp): Promise<LoggedRequest[]>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Faults that can still occur. A fault is used up once its request has arrived completely. */
  remainingFaults(): Promise<Fault[]>;
  /** Number of `METHOD /path` requests since the last `resetCalls`. */
  calls(request: string): Promise<number>;
  resetCalls(): Promise<void>;
  /** Revokes all tokens of an account, as when its owner changes the password. */
  revoke(username: string): Promise<void>;
  rename(username: string, to: string): Promise<void>;
  readAccount(username: string): Promise<{ id: string; boards: { id: string; name: string; privacy: string }[] }>;
  /** Tokens of an account for an app, as after a consent. */
  grantTokens(consent: Consent): Promise<GrantedTokens>;
  /** Opens the consent page, submits its form, and returns the callback's query. */
  completeConsent(authUrl: string, decision: Decision): Promise<Returned>;
}

/** A stand-in in this process. */
export interface TestPinterest extends PinterestControl {
  close(): Promise<void>;
}

let made = 0;
/** Longer than any response on a loaded machine; without a limit a stuck stand-in would hang its test. */
const RESPONSE_TIMEOUT_MS = 60_000;

const consentForm = (authUrl: string, decision: Decision): URLSearchParams => {
  const form = new URLSearchParams(new URL(authUrl).searchParams);
  form.set("decision", decision.decision ?? "approve");
  if (decision.username !== undefined) form.set("username", decision.username);
  if (decision.scopes !== undefined) form.set("scope", decision.scopes.join(","));
  return form;
};

const completeConsent = async (url: string, authUrl: string, decision: Decision): Promise<Returned> => {
  const page = await fetch(authUrl, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  if (page.status !== 200) throw new Error(`The consent page returned ${page.status}: ${await page.text()}`);
  const answer = await fetch(`${url}/oauth/decision`, {
    method: "POST",
    body: consentForm(authUrl, decision),
    redirect: "manual",
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const location = answer.headers.get("location");
  if (answer.status !== 302 || location === null) throw new Error(`The consent form returned ${answer.status}`);
  return Object.fromEntries(new URL(location).searchParams);
};

const grantTokens = async (url: string, { username, client, redirectUri, scopes }: Consent): Promise<GrantedTokens> => {
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  const decision = await fetch(`${url}/oauth/decision`, {
    method: "POST",
    redirect: "manual",
    signal,
    body: new URLSearchParams({
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: scopes.join(","),
      username,
      decision: "approve",
    }),
  });
  const code = new URL(decision.headers.get("location") ?? "", redirectUri).searchParams.get("code");
  if (!code) throw new Error(`The consent form returned ${decision.status}: ${await decision.text()}`);
  const answer = await fetch(`${url}/v5/oauth/token`, {
    method: "POST",
    signal,
    headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri }),
  });
  if (!answer.ok) throw new Error(`The token request returned ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

/** Helpers for a stand-in at a URL, in this process or another. */
export const controlPinterest = (url: string): PinterestControl => {
  const control = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}/__control${path}`, {
      method,
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} /__control${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  return {
    url,
    createAccount: async (boards = 3) => {
      made += 1;
      const username = `maker${process.pid}n${made}`;
      await control("POST", "/accounts", { username, boards });
      return username;
    },
    boardsOf: async (username) => {
      const { accounts } = await (await control("GET", "/accounts")).json();
      return accounts.find((account: { username: string }) => account.username === username).boards;
    },
    pinsOf: async (username) => (await (await control("GET", `/pins?account=${username}`)).json()).pins,
    seedPins: async (username, seeded) => {
      const answer = await control("POST", "/pins", { account: username, pins: seeded });
      const { ids }: { ids: string[] } = await answer.json();
      return ids;
    },
    removePin: async (id) => void (await control("DELETE", `/pins/${id}`)),
    removeSection: async (boardId, sectionId) =>
      void (await control("DELETE", `/boards/${boardId}/sections/${sectionId}`)),
    setClickFactor: async (words, factor) => void (await control("POST", "/planted", { words, factor })),
    set: async (settings) => void (await control("PATCH", "/settings", settings)),
    requests: async (fits) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter(({ method, path }: { method: string; path: string }) => fits.test(`${method} ${path}`));
    },
    addFault: async (fault) => void (await control("POST", "/faults", fault)),
    clearFaults: async () => void (await control("DELETE", "/faults")),
    remainingFaults: async () => {
      const { faults }: { faults: Fault[] } = await (await control("GET", "/faults")).json();
      return faults.filter(({ times }) => times !== 0);
    },
    calls: async (request) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter((entry: { method: string; path: string }) => `${entry.method} ${entry.path}` === request)
        .length;
    },
    resetCalls: async () => void (await control("DELETE", "/log")),
    revoke: async (username) => void (await control("POST", `/accounts/${username}/revoke`)),
    rename: async (username, to) => void (await control("POST", `/accounts/${username}/rename`, { to })),
    readAccount: async (username) => {
      const { accounts } = await (await control("GET", "/accounts")).json();
      return accounts.find((account: { username: string }) => account.username === username);
    },
    grantTokens: (consent) => grantTokens(url, consent),
    completeConsent: (authUrl, decision) => completeConsent(url, authUrl, decision),
  };
};

/** Starts the stand-in on a free port; `client` must be the app that the tested container connects as. */
export const startTestPinterest = async (
  client: { id: string; secret: string } = { id: "test-app", secret: "test-secret" },
): Promise<TestPinterest> => {
  const dataDir = mkdtempSync(join(tmpdir(), "pinterest-"));
  const handle = await startPinterest({ port: 0, host: "127.0.0.1", dataDir, client });
  return {
    ...controlPinterest(handle.url),
    close: async () => {
      await handle.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
