import "server-only";
import { hash } from "node:crypto";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import { apiKeys, oauthClients, oauthCodes } from "#db/schema/api-keys.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { checkKeyLimit } from "#lib/features/api-keys/keys.ts";
import { stateOf } from "#lib/features/api-keys/policy.ts";
import { carrySpending } from "#lib/features/api-keys/spending.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { findClient, touchClient } from "./clients.ts";
import { ACCESS_LIFETIME_MS, REFRESH_REPEAT_MS } from "./constants.ts";
import { audienceOf } from "./policy.ts";
import type { RevocationInput, TokenInput, TokenOutcome, Tokens } from "./schema.ts";
import { firstPair, grantIdOf, nextPair, storedPair, toTokens } from "./tokens.ts";

type Grant = typeof apiKeys.$inferSelect;
type Code = typeof oauthCodes.$inferSelect;

const refusal = (description: string): TokenOutcome => ({ error: "invalid_grant", description });

const endGrant = async (tx: Ctx, { id, userId, name }: Pick<Grant, "id" | "userId" | "name">): Promise<void> => {
  const [ended] = await tx.db
    .update(apiKeys)
    .set({ revokedAt: tx.now() })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  if (ended) await recordSecurityEvent(tx, { userId, kind: "app_disconnected", detail: name });
};

/** Whether an app names another of our servers than its access is for (RFC 8707 §2.2). */
const isOtherTarget = (tx: Ctx, resource: string | undefined, audience: Grant["audience"]): boolean =>
  resource !== undefined && audienceOf(resource, tx.settings.appUrl) !== audience;

const WRONG_TARGET: TokenOutcome = { error: "invalid_target", description: "This access is for a different resource." };

const findGrant = async (tx: Ctx, where: SQL | undefined): Promise<Grant | null> => {
  const [grant] = await tx.db.select().from(apiKeys).where(where).for("update");
  return grant ?? null;
};

type Exchange = Extract<TokenInput, { grant_type: "authorization_code" }>;

const problemOf = (tx: Ctx, code: Code, input: Exchange): string | null => {
  if (code.expiresAt <= tx.now()) return "The code has expired.";
  if (code.clientId !== input.client_id) return "The code belongs to another app.";
  if (code.redirectUri !== input.redirect_uri) return "The redirect URI doesn't match the authorization request.";
  if (hash("sha256", input.code_verifier, "base64url") !== code.challenge) return "The code verifier is wrong.";
  return null;
};

/** An app that asks again replaces its access. @throws AppError `plan_limit` */
const insertGrant = async (tx: Ctx, code: Code): Promise<{ grantId: Grant["id"]; tokens: Tokens }> => {
  const { userId, clientId, audience, scopes, dailyCredits } = code;
  const own = and(eq(apiKeys.userId, userId), eq(apiKeys.clientId, clientId), eq(apiKeys.audience, audience));
  await tx.db
    .update(apiKeys)
    .set({ revokedAt: tx.now() })
    .where(and(own, isNull(apiKeys.revokedAt)));
  await checkKeyLimit(tx, userId);
  const [client] = await tx.db
    .select({ name: oauthClients.name })
    .from(oauthClients)
    .where(eq(oauthClients.id, clientId));
  const id = tx.newId("apiKey");
  const pair = firstPair(tx, id);
  await tx.db.insert(apiKeys).values({
    ...{ id, userId, clientId, audience, name: client?.name ?? "", scopes, dailyCredits, createdAt: tx.now() },
    ...storedPair(pair, tx.now()),
  });
  await carrySpending(tx, own, id);
  await touchClient(tx, clientId);
  return { grantId: id, tokens: toTokens(pair, scopes, ACCESS_LIFETIME_MS) };
};

const exchangeCode = async (tx: Ctx, input: Exchange): Promise<TokenOutcome> => {
  const isThis = eq(oauthCodes.codeHash, sha256(input.code));
  const [found] = await tx.db.select({ userId: oauthCodes.userId }).from(oauthCodes).where(isThis);
  // The user before their rows, as everywhere.
  const user = found ? await lockUser(tx, found.userId) : null;
  const [code] = await tx.db.select().from(oauthCodes).where(isThis).for("update");
  if (!code || !user || user.closedAt) return refusal("The code is unknown.");
  if (code.usedAt) {
    // Someone has a copy (RFC 6749 §4.1.2).
    const grant = code.keyId && (await findGrant(tx, eq(apiKeys.id, code.keyId)));
    if (grant) await endGrant(tx, grant);
    return refusal("The code was used before.");
  }
  if (isOtherTarget(tx, input.resource, code.audience)) return WRONG_TARGET;
  const problem = problemOf(tx, code, input);
  const granted = problem === null ? await insertGrant(tx, code) : null;
  await tx.db
    .update(oauthCodes)
    .set({ usedAt: tx.now(), keyId: granted?.grantId ?? null })
    .where(isThis);
  return granted ? { tokens: granted.tokens } : refusal(problem ?? "");
};

type Refresh = Extract<TokenInput, { grant_type: "refresh_token" }>;

/** @returns what the refresh token is worth: `used` ones end the access, because someone has a copy (RFC 9700 §4.14.2) */
const stateOfToken = (tx: Ctx, grant: Grant, hashed: string): "current" | "repeated" | "used" => {
  if (grant.refreshHash === hashed) return "current";
  const isRecent = addMs(grant.rotatedAt ?? grant.createdAt, REFRESH_REPEAT_MS) >= tx.now();
  return grant.previousRefreshHash === hashed && isRecent ? "repeated" : "used";
};

const refreshTokens = async (tx: Ctx, input: Refresh): Promise<TokenOutcome> => {
  const { refresh_token: given } = input;
  const id = grantIdOf(tx, given);
  const grant = id && (await findGrant(tx, eq(apiKeys.id, id)));
  if (!grant || grant.clientId !== input.client_id) return refusal("The refresh token is unknown.");
  const [user] = await tx.db.select({ closedAt: users.closedAt }).from(users).where(eq(users.id, grant.userId));
  if (user?.closedAt || stateOf(grant, tx.now()) !== "active")
    return refusal("This access has expired or was revoked. Ask the user to connect again.");
  if (isOtherTarget(tx, input.resource, grant.audience)) return WRONG_TARGET;
  const state = stateOfToken(tx, grant, sha256(given));
  if (state === "used") {
    await endGrant(tx, grant);
    return refusal("The refresh token was used before.");
  }
  const wanted = (input.scope ?? "").split(" ").filter(Boolean);
  if (wanted.some((scope) => !grant.scopes.includes(scope))) {
    return { error: "invalid_scope", description: "The user didn't give all of these permissions." };
  }
  const pair = nextPair(tx, grant.id, given);
  if (state === "repeated")
    return { tokens: toTokens(pair, grant.scopes, msUntil(grant.accessExpiresAt ?? tx.now(), tx.now())) };
  await tx.db
    .update(apiKeys)
    .set({ ...storedPair(pair, tx.now()), previousRefreshHash: sha256(given) })
    .where(eq(apiKeys.id, grant.id));
  return { tokens: toTokens(pair, grant.scopes, ACCESS_LIFETIME_MS) };
};

/** Tokens for a code or a refresh token (RFC 6749 §5). A plan without room for another app refuses the code. */
export const grantTokens = async (ctx: Ctx, input: TokenInput): Promise<TokenOutcome> => {
  if (!(await findClient(ctx, input.client_id))) {
    return { error: "invalid_client", description: "This app isn't registered. Register it again." };
  }
  try {
    return await inTransaction(ctx, (tx) =>
      input.grant_type === "refresh_token" ? refreshTokens(tx, input) : exchangeCode(tx, input),
    );
  } catch (error) {
    if (error instanceof AppError && error.code === "plan_limit") return refusal(error.message);
    throw error;
  }
};

/** Ends an app's access by its access token or any of its refresh tokens. Unknown tokens are no error (RFC 7009 §2.2). */
export const revokeToken = async (ctx: Ctx, { token, client_id }: RevocationInput): Promise<void> => {
  const given = sha256(token);
  await inTransaction(ctx, async (tx) => {
    const id = grantIdOf(tx, token);
    const grant = await findGrant(tx, id ? eq(apiKeys.id, id) : eq(apiKeys.secretHash, given));
    const isOfApp = grant?.clientId && (client_id === undefined || grant.clientId === client_id);
    if (grant && isOfApp) await endGrant(tx, grant);
  });
};
