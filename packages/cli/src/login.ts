import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { type Access, CliError } from "./client.ts";

type Credentials = { url: string } & (
  | { key: string }
  // `expiresAt`: milliseconds since 1970.
  | { clientId: string; accessToken: string; refreshToken: string; expiresAt: number }
);

const CONSENT_TIMEOUT_MS = 10 * 60_000;
/** Refreshed before it expires, so that a long import doesn't stop. */
const REFRESH_BEFORE_MS = 60_000;

const fileOf = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "evertack", "credentials.json");

const save = (env: NodeJS.ProcessEnv, credentials: Credentials): void => {
  const file = fileOf(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Whole or not at all, since another command may read it now.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(credentials), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
};

/** Null without a login. @throws CliError when the file is broken */
const read = (env: NodeJS.ProcessEnv): Credentials | null => {
  const file = fileOf(env);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new CliError(`${file} can't be read (${reason}). Delete it, then sign in again.`);
  }
};

const forget = (env: NodeJS.ProcessEnv): void => rmSync(fileOf(env), { force: true });

const isLocal = ({ hostname }: URL): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** Plain HTTP only on this computer. @throws CliError unless it is the address of a server */
export const originOf = (text: string | undefined): string => {
  const url = text && URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && isLocal(url)))) return url.origin;
  throw new CliError("Set your Evertack server's https URL with --url or EVERTACK_URL.", 2);
};

const insecure = (url: string) => ({ [oauth.allowInsecureRequests]: url.startsWith("http:") });

const discover = async (url: string): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure(url) });
  return oauth.processDiscoveryResponse(issuer, response);
};

const keep = (env: NodeJS.ProcessEnv, url: string, clientId: string, tokens: oauth.TokenEndpointResponse): string => {
  const { access_token: accessToken, refresh_token: refreshToken = "", expires_in: seconds = 0 } = tokens;
  save(env, { url, clientId, accessToken, refreshToken, expiresAt: Date.now() + seconds * 1_000 });
  return accessToken;
};

/** A server on this computer that the browser comes back to. Requests without the state are no answer. */
const waitForBrowser = async (state: string) => {
  let settle: (url: URL) => void = () => undefined;
  const arrived = new Promise<URL>((resolve) => {
    settle = resolve;
  });
  const server = createServer(({ url = "/" }, response) => {
    const back = new URL(url, "http://127.0.0.1");
    const isAnswer = back.pathname === "/callback" && back.searchParams.get("state") === state;
    if (!isAnswer) return response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      "<!doctype html><title>Evertack</title><p>You can close this page and go back to the terminal.</p>",
      () => settle(back),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { arrived, redirectUri, close };
};

const openBrowser = (url: string): void => {
  const commands: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ["open"], win32: ["explorer"] };
  const [command = "", ...args] = [...(commands[process.platform] ?? ["xdg-open"]), url];
  // Its address is printed too, so a machine without a browser is fine.
  spawn(command, args, { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
};

/** What the commands need. */
const SCOPES = "accounts:read pins:read pins:write schedule:write analytics:read credits:read";

/** Apps that aren't used are deleted. A token that can't exist ends nothing, and is refused for another reason. */
const isRegistered = async (server: oauth.AuthorizationServer, client: oauth.Client, url: string): Promise<boolean> => {
  try {
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), "none", insecure(url));
    await oauth.processRefreshTokenResponse(server, client, response);
    return true;
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return error.error !== "invalid_client";
    throw error;
  }
};

/** The app that this computer registered before, so that a new login replaces the old access. */
const clientFor = async (
  env: NodeJS.ProcessEnv,
  url: string,
  server: oauth.AuthorizationServer,
  redirectUri: string,
): Promise<oauth.Client> => {
  const known = read(env);
  if (known && known.url === url && "clientId" in known) {
    const client = { client_id: known.clientId };
    if (await isRegistered(server, client, url)) return client;
  }
  const metadata = {
    ...{ client_name: "Evertack command line", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
  };
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure(url));
  return oauth.processDynamicClientRegistrationResponse(response);
};

const awaitConsent = (arrived: Promise<URL>): Promise<URL> =>
  Promise.race([
    arrived,
    delay(CONSENT_TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new CliError("Sign-in timed out after 10 minutes. Run evertack login again.");
    }),
  ]);

/** Opens the page where the user lets this program in. @throws CliError when they decline */
export const logInByBrowser = async (env: NodeJS.ProcessEnv, url: string, show: (line: string) => void) => {
  const server = await discover(url);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const browser = await waitForBrowser(state);
  try {
    const client = await clientFor(env, url, server, browser.redirectUri);
    const consent = new URL(server.authorization_endpoint ?? "");
    for (const [name, value] of Object.entries({
      ...{ client_id: client.client_id, redirect_uri: browser.redirectUri, response_type: "code", state },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
      ...{ scope: SCOPES, resource: `${url}/api/v1` },
    }))
      consent.searchParams.set(name, value);
    show(`Open this page to continue:\n${consent.href}`);
    openBrowser(consent.href);
    const parameters = oauth.validateAuthResponse(server, client, await awaitConsent(browser.arrived), state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, browser.redirectUri, verifier] as const),
      insecure(url),
    );
    keep(env, url, client.client_id, await oauth.processAuthorizationCodeResponse(server, client, response));
  } catch (error) {
    const isDeclined = error instanceof oauth.AuthorizationResponseError && error.error === "access_denied";
    throw isDeclined ? new CliError("You declined access. Nothing was changed.") : error;
  } finally {
    browser.close();
  }
};

/** @throws CliError unless the key works */
export const logInByKey = async (env: NodeJS.ProcessEnv, url: string, key: string): Promise<void> => {
  if (key === "") throw new CliError("No API key was entered.", 2);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/accounts`, { headers }).catch(() => null);
  if (!response) throw new CliError(`Can't reach ${url}.`);
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const { code } = isJson ? Object(await response.json().catch(() => null)) : {};
  if (code === "invalid_key") throw new CliError("This API key isn't valid.");
  // A key may lack the scope of this call.
  if (response.status === 429 || response.status >= 500) throw new CliError(`${url} is busy. Try again later.`);
  if (!(response.ok && isJson) && code !== "scope_missing") throw new CliError(`${url} didn't accept the key.`);
  save(env, { url, key });
};

/** Ends the access that this computer was given. @throws CliError when the server didn't confirm it */
export const logOut = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const known = read(env);
  try {
    if (!known || "key" in known) return;
    const [server, client] = [await discover(known.url), { client_id: known.clientId }];
    const { url, refreshToken } = known;
    const response = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, insecure(url));
    await oauth.processRevocationResponse(response);
  } catch {
    throw new CliError(
      "You're signed out on this computer, but the server didn't respond. Disconnect the command line in Settings too.",
    );
  } finally {
    forget(env);
  }
};

const REFRESH_ATTEMPTS = 4;

/** Only the server can say that the access has ended; anything else may pass. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof oauth.ResponseBodyError && ["invalid_grant", "invalid_client"].includes(error.error));

const refresh = async (env: NodeJS.ProcessEnv, known: Extract<Credentials, { clientId: string }>): Promise<string> => {
  const { url, clientId, refreshToken } = known;
  for (let attempt = 1; ; attempt++) {
    try {
      const [server, client] = [await discover(url), { client_id: clientId }];
      const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, insecure(url));
      return keep(env, url, clientId, await oauth.processRefreshTokenResponse(server, client, response));
    } catch (error) {
      // Without the old app's ID, the next login registers again.
      if (error instanceof oauth.ResponseBodyError && error.error === "invalid_client") forget(env);
      if (!isPassing(error)) throw new CliError("Your access has ended. Sign in again: evertack login");
      if (attempt >= REFRESH_ATTEMPTS) throw new CliError(`Can't reach ${url}.`);
      await delay(500 * 2 ** attempt);
    }
  }
};

/** From EVERTACK_API_KEY and EVERTACK_URL, or else the last login. @throws CliError */
export const readAccess = (env: NodeJS.ProcessEnv, url: string | undefined): Access => {
  const { EVERTACK_API_KEY: key, EVERTACK_URL } = env;
  const wanted = url ?? EVERTACK_URL;
  if (key) return { url: originOf(wanted), token: async () => key };
  const found = read(env);
  if (!found) throw new CliError("Sign in first: evertack login --url https://…", 2);
  if (wanted && originOf(wanted) !== found.url) {
    throw new CliError(`You're signed in to ${found.url}. Sign in to ${originOf(wanted)} first.`, 2);
  }
  return {
    url: found.url,
    token: async (refused) => {
      // Another command may have refreshed it, or signed in elsewhere.
      const stored = read(env);
      const known = stored?.url === found.url ? stored : found;
      if ("key" in known) return known.key;
      const isUsable = known.expiresAt - REFRESH_BEFORE_MS > Date.now() && known.accessToken !== refused;
      return isUsable ? known.accessToken : refresh(env, known);
    },
  };
};
