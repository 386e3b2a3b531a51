import "server-only";
import { oauthCodes } from "#db/schema/api-keys.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { TEXTS as KEY_TEXTS } from "#lib/features/api-keys/constants.ts";
import { checkKeyLimit } from "#lib/features/api-keys/keys.ts";
import { changeSignIn } from "#lib/features/identity/confirmation.ts";
import { findClient, touchClient } from "./clients.ts";
import { CODE_LIFETIME_MS, DEVELOPER_TEXTS, STATE_CHARS_MAX, TEXTS } from "./constants.ts";
import { audienceOf, backUrl, isRegistered, readScopes } from "./policy.ts";
import type { ApproveInput, Authorization, AuthorizationQuery } from "./schema.ts";

/**
 * Checks an app's request (RFC 6749 §4.1.2.1). Errors are shown before the user goes back, so that no link of ours
 * leads to the site of an app that registered itself without a click (RFC 9700 §4.11.2).
 */
export const readAuthorization = async (ctx: Ctx, query: AuthorizationQuery): Promise<Authorization> => {
  const client = await findClient(ctx, query.client_id ?? "");
  if (!client) return { kind: "broken", text: TEXTS.unknownClient };
  const { redirect_uri: redirectUri = "", state = null } = query;
  if (!isRegistered(redirectUri, client.redirectUris)) return { kind: "broken", text: TEXTS.wrongRedirect };
  const { appUrl } = ctx.settings;
  const refuse = (error: string, text: string): Authorization => {
    const returned = state !== null && state.length <= STATE_CHARS_MAX ? state : null;
    const values = { error, error_description: text, state: returned, iss: appUrl };
    return { kind: "refused", appName: client.name, text: TEXTS.refused, backUrl: backUrl(redirectUri, values) };
  };
  if (state !== null && state.length > STATE_CHARS_MAX) return refuse("invalid_request", DEVELOPER_TEXTS.stateTooLong);
  if (query.response_type !== "code") return refuse("unsupported_response_type", DEVELOPER_TEXTS.noCode);
  const challenge = query.code_challenge ?? "";
  if (query.code_challenge_method !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
    return refuse("invalid_request", DEVELOPER_TEXTS.noChallenge);
  }
  const audience = audienceOf(query.resource, appUrl);
  if (!audience) return refuse("invalid_target", DEVELOPER_TEXTS.wrongResource);
  const scopes = readScopes(query.scope, audience);
  if (scopes.length === 0) return refuse("invalid_scope", DEVELOPER_TEXTS.wrongScope);
  return {
    kind: "request",
    request: { clientId: client.id, appName: client.name, redirectUri, challenge, state, audience, scopes },
    declineUrl: backUrl(redirectUri, { error: "access_denied", state, iss: appUrl }),
  };
};

/**
 * The user lets an app in, with the chosen permissions. Returns the URL that takes the code to the app.
 * @throws AppError `invalid`; `confirm_identity`; `wrong_state` without a confirmed address; `plan_limit`
 */
export const approveApp = (
  ctx: Ctx<"jobs">,
  { query, scopes: chosen, dailyCredits }: ApproveInput,
): Promise<{ url: string }> =>
  changeSignIn(ctx, async (tx) => {
    const read = await readAuthorization(tx, query);
    if (read.kind !== "request") throw new AppError("invalid", { text: read.text });
    const { clientId, appName, redirectUri, challenge, state, audience } = read.request;
    const scopes = read.request.scopes.filter((scope) => chosen.includes(scope));
    if (scopes.length === 0) throw new AppError("invalid", { fields: { scopes: [KEY_TEXTS.noScopes] } });
    const userId = requireUserId(tx);
    await checkKeyLimit(tx, userId, { clientId, audience });
    const code = randomToken();
    await touchClient(tx, clientId);
    await tx.db.insert(oauthCodes).values({
      ...{ codeHash: sha256(code), userId, clientId, redirectUri, challenge, audience, scopes, dailyCredits },
      expiresAt: addMs(tx.now(), CODE_LIFETIME_MS),
    });
    const url = backUrl(redirectUri, { code, state, iss: tx.settings.appUrl });
    return { result: { url }, event: { kind: "app_connected", detail: appName } };
  });
