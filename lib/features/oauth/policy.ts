import { visible } from "#lib/core/text.ts";
import { AUDIENCES, type Audience, type Scope } from "#lib/features/api-keys/constants.ts";
import { AUDIENCE_PATHS, AUDIENCE_SCOPES, EDITOR_SCHEMES, URI_CHARS_MAX } from "./constants.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === "http:" && LOOPBACK.includes(hostname);

/** HTTPS, this computer, or an app's own scheme with a domain in reverse (RFC 8252 §7). Never one that runs code. */
export const isRedirectUri = (uri: string): boolean => {
  if (uri.length > URI_CHARS_MAX || visible(uri) !== uri || !URL.canParse(uri)) return false;
  const url = new URL(uri);
  if (uri.includes("#") || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:" || isLoopback(url)) return true;
  return url.protocol.includes(".") || EDITOR_SCHEMES.some((scheme) => scheme === url.protocol);
};

const withoutPort = (uri: string): string => {
  const url = new URL(uri);
  url.port = "";
  return url.href;
};

/** The same text, except for the port of a program on this computer (RFC 8252 §7.3). */
export const isRegistered = (uri: string, registered: readonly string[]): boolean => {
  if (registered.includes(uri)) return true;
  if (!isRedirectUri(uri) || !isLoopback(new URL(uri))) return false;
  return registered.some((one) => isLoopback(new URL(one)) && withoutPort(one) === withoutPort(uri));
};

/** Where the browser goes, as people recognize it. */
export const targetOf = (uri: string): string => {
  const url = new URL(uri);
  if (isLoopback(url)) return "a program on this computer";
  return url.protocol === "https:" ? url.host : `an app on this device (${url.protocol})`;
};

/** The redirect URI with what the app must learn. */
export const backUrl = (redirectUri: string, values: Record<string, string | null>): string => {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(values)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
};

/** RFC 8707: without a resource, the MCP server. Null: not ours. */
export const audienceOf = (resource: string | undefined, appUrl: string): Audience | null => {
  if (resource === undefined) return "mcp";
  const wanted = resource.replace(/\/$/, "");
  return AUDIENCES.find((audience) => wanted === `${appUrl}${AUDIENCE_PATHS[audience]}`) ?? null;
};

/** The known ones among those that an app asks for; all, if it doesn't say. */
export const readScopes = (text: string | undefined, audience: Audience): Scope[] => {
  const all = AUDIENCE_SCOPES[audience];
  const wanted = (text ?? "").split(" ").filter(Boolean);
  return wanted.length === 0 ? [...all] : all.filter((scope) => wanted.includes(scope));
};
