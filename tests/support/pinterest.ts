import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS } from "#lib/core/time.ts";
import { startPinterest } from "#sandbox/pinterest/server.ts";

/** What a fault rule of the stand-in holds (`sandbox/kit/faults.ts`). */
type Fault = { match: string; scenario?: string; times?: number; skip?: number } & Record<string, unknown>;

/** What Pinterest sends the browser back with. */
export interface Returned {
  state?: string;
  code?: string;
  error?: string;
}

interface Decision {
  username?: string;
  decision?: "approve" | "deny";
  /** Fewer scopes than asked, as a user who grants less. */
  scopes?: readonly string[];
}

/** A pin as the stand-in holds it. */
export interface PublicPin {
  id: string;
  board_id: string;
  title: string;
  description: string;
  link: string | null;
  /** ISO 8601, by the stand-in's clock. */
  created_at: string;
}

/** A pin to put on a board at once; `created_at` is ISO 8601, by default the stand-in's present. */
export interface SeededPin {
  board_id: string;
  title: string;
  description?: string;
  link?: string | null;
  created_at?: string;
}

/** A request that the stand-in answered. */
export interface AnsweredRequest {
  path: string;
  status: number;
  /** ISO 8601, by the stand-in's clock. */
  at: string;
  /** Whose token it carried, among others. */
  labels?: Record<string, string>;
}

/** The most requests in any minute, by Pinterest's clock. */
export const busiestMinute = (requests: readonly AnsweredRequest[]): number => {
  const times = requests.map(({ at }) => Date.parse(at));
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length));
};

/** What the stand-in answers to an exchanged code. */
export interface GrantedTokens {
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

/** A running Pinterest stand-in, with the handles that tests need. */
export interface PinterestControl {
  url: string;
  /** A new account with so many boards; returns its username. */
  makeAccount(boards?: number): Promise<string>;
  boardsOf(username: string): Promise<{ id: string; name: string; privacy: string }[]>;
  /** The pins that an account published through the API. */
  pinsOf(username: string): Promise<PublicPin[]>;
  /** Puts pins on an account at once; returns their ids in the same order. `tests/support/results-pins.ts` does both sides. */
  seedPins(username: string, pins: readonly SeededPin[]): Promise<string[]>;
  /** Deletes a pin behind the product's back. */
  removePin(id: string): Promise<void>;
  /** Has the links of pins with all of these words in title or description followed so many times as often. */
  plant(words: string, factor: number): Promise<void>;
  /** Changes settings of the stand-in (`sandbox/pinterest/settings.ts`). They stay until they are changed back. */
  set(settings: Record<string, string | number | boolean>): Promise<void>;
  /** What was asked with METHOD and a path that fits, with the status of each answer, oldest first. */
  requests(fits: RegExp): Promise<AnsweredRequest[]>;
  strike(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** The faults that may still strike. One that struck was met by a request that had arrived whole. */
  waitingFaults(): Promise<Fault[]>;
  /** How many requests `METHOD /path` were answered since the last `forgetCalls`. */
  calls(request: string): Promise<number>;
  forgetCalls(): Promise<void>;
  /** Kills all tokens of an account, as when its owner changes the password. */
  revoke(username: string): Promise<void>;
  rename(username: string, to: string): Promise<void>;
  readAccount(username: string): Promise<{ id: string; boards: { id: string; name: string; privacy: string }[] }>;
  /** Tokens of an account for an app, as at the end of a consent. */
  grantTokens(consent: Consent): Promise<GrantedTokens>;
  /** Opens the consent page, sends its form, and returns the query of the callback address. */
  walkConsent(authUrl: string, decision: Decision): Promise<Returned>;
}

/** A stand-in in this process. */
export interface TestPinterest extends PinterestControl {
  close(): Promise<void>;
}

let made = 0;
/** Longer than any answer takes on a loaded machine; without a bound a stuck stand-in would hang its test. */
const ANSWER_MS = 60_000;

const consentForm = (authUrl: string, decision: Decision): URLSearchParams => {
  const form = new URLSearchParams(new URL(authUrl).searchParams);
  form.set("decision", decision.decision ?? "approve");
  if (decision.username !== undefined) form.set("username", decision.username);
  if (decision.scopes !== undefined) form.set("scope", decision.scopes.join(","));
  return form;
};

const walkConsent = async (url: string, authUrl: string, decision: Decision): Promise<Returned> => {
  const page = await fetch(authUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (page.status !== 200) throw new Error(`The consent page answered ${page.status}: ${await page.text()}`);
  const answer = await fetch(`${url}/oauth/decision`, {
    method: "POST",
    body: consentForm(authUrl, decision),
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const location = answer.headers.get("location");
  if (answer.status !== 302 || location === null) throw new Error(`The consent form answered ${answer.status}`);
  return Object.fromEntries(new URL(location).searchParams);
};

const grantTokens = async (url: string, { username, client, redirectUri, scopes }: Consent): Promise<GrantedTokens> => {
  const signal = AbortSignal.timeout(ANSWER_MS);
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
  if (!code) throw new Error(`The consent was answered ${decision.status}: ${await decision.text()}`);
  const answer = await fetch(`${url}/v5/oauth/token`, {
    method: "POST",
    signal,
    headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri }),
  });
  if (!answer.ok) throw new Error(`The code was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

/** The handles of a stand-in that runs at an address, in this process or another. */
export const controlPinterest = (url: string): PinterestControl => {
  const control = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}/__control${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} /__control${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  return {
    url,
    makeAccount: async (boards = 3) => {
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
    plant: async (words, factor) => void (await control("POST", "/planted", { words, factor })),
    set: async (settings) => void (await control("PATCH", "/settings", settings)),
    requests: async (fits) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter(({ method, path }: { method: string; path: string }) => fits.test(`${method} ${path}`));
    },
    strike: async (fault) => void (await control("POST", "/faults", fault)),
    clearFaults: async () => void (await control("DELETE", "/faults")),
    waitingFaults: async () => {
      const { faults }: { faults: Fault[] } = await (await control("GET", "/faults")).json();
      return faults.filter(({ times }) => times !== 0);
    },
    calls: async (request) => {
      const { requests } = await (await control("GET", "/log")).json();
      return requests.filter((entry: { method: string; path: string }) => `${entry.method} ${entry.path}` === request)
        .length;
    },
    forgetCalls: async () => void (await control("DELETE", "/log")),
    revoke: async (username) => void (await control("POST", `/accounts/${username}/revoke`)),
    rename: async (username, to) => void (await control("POST", `/accounts/${username}/rename`, { to })),
    readAccount: async (username) => {
      const { accounts } = await (await control("GET", "/accounts")).json();
      return accounts.find((account: { username: string }) => account.username === username);
    },
    grantTokens: (consent) => grantTokens(url, consent),
    walkConsent: (authUrl, decision) => walkConsent(url, authUrl, decision),
  };
};

/** Starts the stand-in on a free port; `client` must be the app that the tested house connects as. */
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
