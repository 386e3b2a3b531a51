import "server-only";
import { createHmac } from "node:crypto";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime, randomToken, sha256, signText } from "#lib/core/crypto.ts";
import type { ApiKeyId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { SECRET_RANDOM_CHARS } from "#lib/features/api-keys/constants.ts";
import { storedSecret } from "#lib/features/api-keys/keys.ts";
import { BASE_62, toSecret } from "#lib/features/api-keys/policy.ts";
import { ACCESS_LIFETIME_MS, GRANT_LIFETIME_MS } from "./constants.ts";
import type { Tokens } from "./schema.ts";

interface Pair {
  access: string;
  refresh: string;
}

/** `id.nonce.signature`, so that an old token of an access is told apart from a made-up one. */
const refreshToken = ({ settings }: Ctx, id: ApiKeyId, nonce: string): string => {
  const body = `${id}.${nonce}`;
  return `${body}.${signText(settings.tokenSecret, `oauth-refresh:${body}`)}`;
};

/** The access that a refresh token of ours belongs to, current or not; null for any other text. */
export const grantIdOf = (ctx: Ctx, token: string): ApiKeyId | null => {
  const [id = "", nonce = ""] = token.split(".");
  return equalInConstantTime(token, refreshToken(ctx, id as ApiKeyId, nonce)) ? (id as ApiKeyId) : null;
};

/** 190 bits that only we can compute from the text. */
const derivedSecret = ({ settings }: Ctx, text: string): string => {
  const bytes = createHmac("sha256", settings.tokenSecret).update(`oauth-access:${text}`).digest();
  return toSecret([...bytes.subarray(0, SECRET_RANDOM_CHARS)].map((byte) => BASE_62.charAt(byte % 62)).join(""));
};

/**
 * The pair that follows a nonce or a refresh token, always the same: a refresh may be repeated, or run twice at once,
 * without making one of the answers worthless.
 */
const pairAfter = (ctx: Ctx, id: ApiKeyId, seed: string): Pair => {
  const nonce = signText(ctx.settings.tokenSecret, `oauth-nonce:${id}:${seed}`).slice(0, 32);
  return { access: derivedSecret(ctx, `${id}:${seed}`), refresh: refreshToken(ctx, id, nonce) };
};

export const firstPair = (ctx: Ctx, id: ApiKeyId): Pair => pairAfter(ctx, id, randomToken());

export const nextPair = (ctx: Ctx, id: ApiKeyId, refresh: string): Pair => pairAfter(ctx, id, refresh);

export const storedPair = ({ access, refresh }: Pair, now: Date) => ({
  ...storedSecret(access),
  refreshHash: sha256(refresh),
  rotatedAt: now,
  accessExpiresAt: addMs(now, ACCESS_LIFETIME_MS),
  expiresAt: addMs(now, GRANT_LIFETIME_MS),
});

export const toTokens = ({ access, refresh }: Pair, scopes: readonly string[], lifetimeMs: number): Tokens => ({
  ...{ access_token: access, token_type: "Bearer", expires_in: Math.max(1, Math.floor(lifetimeMs / SECOND_MS)) },
  ...{ refresh_token: refresh, scope: scopes.join(" ") },
});
