import type { OAuthClient } from "./context.ts";
import { scopeWords, splitScopes } from "./scopes.ts";

/** A consent request that may be shown. */
export interface ConsentRequest {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
}

/** The request, or what is wrong with it in one sentence for the page. */
export type CheckedConsent = { ok: true; request: ConsentRequest } | { ok: false; problem: string };

/** Checks the parameters of the consent page and of its form. Nothing is sent to an address that fails here. */
export function checkConsent(client: OAuthClient, parameters: Record<string, string>): CheckedConsent {
  const { client_id: clientId, redirect_uri: redirectUri, scope = "", state } = parameters;
  const no = (problem: string): CheckedConsent => ({ ok: false, problem });
  if (clientId !== client.id) return no("No app is registered under this client_id.");
  if (redirectUri === undefined || !isRegistered(client, redirectUri)) {
    return no("The redirect_uri is not one that this app has registered.");
  }
  if (parameters.response_type !== "code") return no('The response_type must be "code".');
  const scopes = splitScopes(scope);
  if (scopes.length === 0) return no("The scope parameter is missing.");
  const unknown = scopes.find((name) => scopeWords(name) === undefined);
  if (unknown !== undefined) return no(`There is no scope "${unknown}".`);
  return { ok: true, request: { clientId, redirectUri, scopes, state } };
}

/** The address to go back to, with `parameters` and the app's own state added. */
export function backToApp({ redirectUri, state }: ConsentRequest, parameters: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

function isRegistered({ redirectUris }: OAuthClient, redirectUri: string): boolean {
  if (redirectUris !== undefined) return redirectUris.includes(redirectUri);
  const url = URL.parse(redirectUri);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}
