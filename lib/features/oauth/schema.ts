import { z } from "zod";
import type { OauthClientId } from "#lib/core/ids.ts";
import { firstChars, visible } from "#lib/core/text.ts";
import {
  type Audience,
  DAILY_CREDITS_MAX,
  TEXTS as KEY_TEXTS,
  SCOPES,
  type Scope,
} from "#lib/features/api-keys/constants.ts";
import { CLIENT_NAME_MAX, REDIRECT_URIS_MAX, TEXTS, UNNAMED_CLIENT, URI_CHARS_MAX } from "./constants.ts";
import { isRedirectUri } from "./policy.ts";

const REDIRECT_URI_RULE =
  "A redirect URI starts with https://, http://localhost, or your app's own scheme, and has no fragment.";

/** RFC 7591. Other metadata are ignored: every app is public and uses codes with PKCE. */
export const registrationInput = z.object({
  redirect_uris: z
    .array(z.string().refine(isRedirectUri, REDIRECT_URI_RULE), "redirect_uris must be a list of URIs.")
    .min(1, "Register at least one redirect URI.")
    .max(REDIRECT_URIS_MAX, `Register at most ${REDIRECT_URIS_MAX} redirect URIs.`),
  client_name: z
    .string("client_name must be a string.")
    .optional()
    .transform((name) => firstChars(visible(name ?? "").replace(/\s+/g, " "), CLIENT_NAME_MAX) || UNNAMED_CLIENT),
});
export type RegistrationInput = z.output<typeof registrationInput>;

export interface Registration {
  client_id: OauthClientId;
  /** In seconds since 1970. */
  client_id_issued_at: number;
  client_name: string;
  redirect_uris: string[];
}

const parameter = z.string().max(URI_CHARS_MAX);

/** What an app puts into the URL of the consent page (RFC 6749, 7636, 8707). Checked one by one, since each fails differently. */
const authorizationQuery = z.object({
  client_id: parameter.optional(),
  redirect_uri: parameter.optional(),
  response_type: parameter.optional(),
  code_challenge: parameter.optional(),
  code_challenge_method: parameter.optional(),
  scope: parameter.optional(),
  state: z.string().optional(),
  resource: parameter.optional(),
});
export type AuthorizationQuery = z.output<typeof authorizationQuery>;

/**
 * Each parameter by itself: one that is empty (RFC 6749 §3.1), repeated, or too long counts as left out, and the check
 * says which is missing.
 */
export const readQuery = (parameters: Record<string, string | string[] | undefined>): AuthorizationQuery => {
  const known = Object.entries(authorizationQuery.shape).map(
    ([name, schema]) => [name, schema, parameters[name]] as const,
  );
  const valid = known.filter(([, schema, value]) => value !== "" && schema.safeParse(value).success);
  return Object.fromEntries(valid.map(([name, , value]) => [name, value]));
};

export const approveInput = z.object({
  query: authorizationQuery,
  scopes: z.array(z.enum(SCOPES, KEY_TEXTS.scopeInvalid), KEY_TEXTS.noScopes).min(1, KEY_TEXTS.noScopes),
  dailyCredits: z
    .number(TEXTS.creditsInvalid)
    .int(TEXTS.creditsInvalid)
    .min(0, TEXTS.creditsInvalid)
    .max(DAILY_CREDITS_MAX, TEXTS.creditsInvalid),
});
export type ApproveInput = z.output<typeof approveInput>;

export interface AccessRequest {
  clientId: OauthClientId;
  appName: string;
  redirectUri: string;
  challenge: string;
  state: string | null;
  audience: Audience;
  scopes: Scope[];
}

/** `broken`: there is no address that the user may be sent back to. */
export type Authorization =
  | { kind: "broken"; text: string }
  | { kind: "refused"; appName: string; text: string; backUrl: string }
  | { kind: "request"; request: AccessRequest; declineUrl: string };

const token = z.string().min(1).max(200);

export const tokenInput = z.discriminatedUnion("grant_type", [
  z.object({
    grant_type: z.literal("authorization_code"),
    code: token,
    client_id: token,
    redirect_uri: parameter,
    code_verifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, "code_verifier has 43 to 128 characters."),
    resource: parameter.optional(),
  }),
  z.object({
    grant_type: z.literal("refresh_token"),
    refresh_token: token,
    client_id: token,
    scope: parameter.optional(),
    resource: parameter.optional(),
  }),
]);
export type TokenInput = z.output<typeof tokenInput>;

export const revocationInput = z.object({ token, client_id: token.optional() });
export type RevocationInput = z.output<typeof revocationInput>;

/** RFC 6749 §5.1 */
export interface Tokens {
  access_token: string;
  token_type: "Bearer";
  /** In seconds. */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

type TokenError = "invalid_client" | "invalid_grant" | "invalid_scope" | "invalid_target";

/** A refusal is an outcome and no exception, because what it ends must be stored. */
export type TokenOutcome = { tokens: Tokens } | { error: TokenError; description: string };
