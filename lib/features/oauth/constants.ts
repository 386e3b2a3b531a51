import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { type Audience, DAILY_CREDITS_MAX, SCOPES, type Scope } from "#lib/features/api-keys/constants.ts";

/** From the user's consent to the exchange for tokens. */
export const CODE_LIFETIME_MS = MINUTE_MS;
export const ACCESS_LIFETIME_MS = HOUR_MS;
/** An app that didn't refresh its tokens for so long must ask the user again. */
export const GRANT_LIFETIME_MS = 90 * DAY_MS;
/** For so long a refresh token works again, because the answer with its successor may have been lost. */
export const REFRESH_REPEAT_MS = 2 * MINUTE_MS;

export const CLIENT_NAME_MAX = 60;
export const UNNAMED_CLIENT = "Unnamed app";
export const REDIRECT_URIS_MAX = 10;
export const URI_CHARS_MAX = 2_000;
export const STATE_CHARS_MAX = 1_000;

/** Editors whose redirect URIs have a scheme without a domain, against RFC 8252. */
export const EDITOR_SCHEMES = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:", "zed:"] as const;

export const OAUTH_PATHS = {
  authorize: "/app/authorize",
  token: "/api/oauth/token",
  register: "/api/oauth/register",
  revoke: "/api/oauth/revoke",
} as const;

/** Where the resource metadata (RFC 9728) of a path are. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

export const AUDIENCE_PATHS: Record<Audience, string> = { api: "/api/v1", mcp: "/api/mcp" };

/** What an app can ask for. No tool of the MCP server needs more than these. */
export const AUDIENCE_SCOPES: Record<Audience, readonly Scope[]> = {
  // Webhooks would go on sending when the app's access has ended.
  api: SCOPES.filter((scope) => scope !== "webhooks:write"),
  mcp: ["accounts:read", "pins:read", "pins:write", "analytics:read", "credits:read"],
};

export const TEXTS = {
  unknownClient: "This app isn't registered. Start again in the app.",
  wrongRedirect: "The app asked us to send you to a URL that it hasn't registered. Start again in the app.",
  refused: "This app sent a request that we can't accept. Go back and try again, or contact the app's developer.",
  creditsInvalid: `Enter a whole number from 0 to ${DAILY_CREDITS_MAX.toLocaleString("en-US")}.`,
} as const;

/** For the app's developer, in `error_description`. */
export const DEVELOPER_TEXTS = {
  noCode: "response_type must be code.",
  noChallenge: "PKCE is required: send code_challenge, and S256 as code_challenge_method.",
  wrongResource: "resource must be one of the resources in our metadata.",
  wrongScope: "scope must name at least one supported scope.",
  stateTooLong: `state can have up to ${STATE_CHARS_MAX} characters.`,
} as const;
