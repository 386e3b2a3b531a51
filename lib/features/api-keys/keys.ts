import "server-only";
import { randomInt } from "node:crypto";
import { and, desc, eq, gt, isNull, ne, or } from "drizzle-orm";
import { apiKeys } from "#db/schema/api-keys.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { OauthClientId, UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, toIso, toIsoOrNull } from "#lib/core/time.ts";
import { changeSignIn } from "#lib/features/identity/confirmation.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import {
  type Audience,
  KEYS_MAX,
  keyLimitText,
  type Scope,
  SECRET_RANDOM_CHARS,
  SECRET_SHOWN_CHARS,
} from "./constants.ts";
import { BASE_62, stateOf, toSecret } from "./policy.ts";
import type { ApiKeyView, CreatedKey, CreateKeyInput, KeyInput } from "./schema.ts";

/** 190 bits. */
const newSecret = (): string =>
  toSecret(Array.from({ length: SECRET_RANDOM_CHARS }, () => BASE_62.charAt(randomInt(BASE_62.length))).join(""));

export const storedSecret = (secret: string) => ({
  secretHash: sha256(secret),
  secretStart: secret.slice(0, SECRET_SHOWN_CHARS),
});

const hasAccess = (tx: Ctx, userId: UserId) =>
  and(
    eq(apiKeys.userId, userId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, tx.now())),
  );

/**
 * Hold the user's lock, which keeps the count right under concurrent requests. `except`: the access that is about to be
 * replaced. @throws AppError `plan_limit`
 */
export const checkKeyLimit = async (
  tx: Ctx,
  userId: UserId,
  except?: { clientId: OauthClientId; audience: Audience },
): Promise<void> => {
  const plan = await findPlan(tx, userId);
  const { clientId, audience } = apiKeys;
  const counted = except && or(isNull(clientId), ne(clientId, except.clientId), ne(audience, except.audience));
  const working = await tx.db.$count(apiKeys, and(hasAccess(tx, userId), counted));
  if (working >= KEYS_MAX[plan]) throw new AppError("plan_limit", { text: keyLimitText(plan) });
};

/** Doesn't confirm who the user is. Hold the user's lock. @throws AppError `plan_limit` */
export const insertKey = async (
  tx: Ctx,
  { userId, name, scopes, dailyCredits, lifetimeDays }: CreateKeyInput & { userId: UserId },
): Promise<CreatedKey> => {
  await checkKeyLimit(tx, userId);
  const secret = newSecret();
  const now = tx.now();
  await tx.db.insert(apiKeys).values({
    ...{ id: tx.newId("apiKey"), userId, name, scopes, dailyCredits, createdAt: now },
    ...storedSecret(secret),
    expiresAt: lifetimeDays === null ? null : addMs(now, lifetimeDays * DAY_MS),
  });
  return { secret };
};

/** @throws AppError `confirm_identity`; `wrong_state` without a confirmed address; `plan_limit` */
export const createKey = (ctx: Ctx<"jobs">, input: CreateKeyInput): Promise<CreatedKey> =>
  changeSignIn(ctx, async (tx) => {
    const result = await insertKey(tx, { ...input, userId: requireUserId(tx) });
    return { result, event: { kind: "api_key_created", detail: input.name } };
  });

const isOwn = (tx: Ctx, { keyId }: KeyInput) =>
  and(eq(apiKeys.id, keyId as typeof apiKeys.$inferSelect.id), hasAccess(tx, requireUserId(tx)));

/**
 * A new secret with the same rights and expiry; the old one stops working at once.
 * @throws AppError `confirm_identity`; `not_found` unless it is their own working key; `wrong_state` without a confirmed
 * address
 */
export const rotateKey = (ctx: Ctx<"jobs">, input: KeyInput): Promise<CreatedKey> =>
  changeSignIn(ctx, async (tx) => {
    const secret = newSecret();
    const [key] = await tx.db
      .update(apiKeys)
      .set({ ...storedSecret(secret), rotatedAt: tx.now() })
      .where(and(isOwn(tx, input), isNull(apiKeys.clientId)))
      .returning({ name: apiKeys.name });
    if (!key) throw new AppError("not_found");
    return { result: { secret }, event: { kind: "api_key_rotated", detail: key.name } };
  });

/** A key's or an app's access ends at once. @throws AppError `confirm_identity`; `not_found` unless it is theirs and works */
export const revokeKey = (ctx: Ctx<"jobs">, input: KeyInput): Promise<void> =>
  changeSignIn(
    ctx,
    async (tx) => {
      const [key] = await tx.db
        .update(apiKeys)
        .set({ revokedAt: tx.now() })
        .where(isOwn(tx, input))
        .returning({ name: apiKeys.name, clientId: apiKeys.clientId });
      if (!key) throw new AppError("not_found");
      const kind = key.clientId === null ? "api_key_revoked" : "app_disconnected";
      return { result: undefined, event: { kind, detail: key.name } };
    },
    { isRemoval: true },
  );

const toView = (key: typeof apiKeys.$inferSelect, now: Date): ApiKeyView => ({
  ...{ id: key.id, name: key.name, scopes: key.scopes as Scope[], secretStart: key.secretStart },
  isApp: key.clientId !== null,
  state: stateOf(key, now),
  dailyCredits: key.dailyCredits,
  createdAt: toIso(key.createdAt),
  expiresAt: toIsoOrNull(key.expiresAt),
  lastUsedAt: toIsoOrNull(key.lastUsedAt),
});

/** Keys and connected apps, the newest first, ended ones included until they are deleted. */
export const listKeys = async (ctx: Ctx): Promise<ApiKeyView[]> => {
  const rows = await ctx.db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.userId, requireUserId(ctx)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return rows.map((row) => toView(row, ctx.now()));
};
