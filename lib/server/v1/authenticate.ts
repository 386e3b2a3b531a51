import "server-only";
import { composeContext } from "#lib/composition.ts";
import type { Actor } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { type FoundKey, findKey } from "#lib/features/api-keys/authentication.ts";
import { type Audience, type Scope, TEXTS } from "#lib/features/api-keys/constants.ts";
import { countCall, limitCall, rateLimitFactor } from "../rate-limit.ts";

/** `misdirected`: an app's token for another of our servers. */
export interface CallingKey extends Omit<FoundKey, "state"> {
  state: FoundKey["state"] | "misdirected";
}

const textOf = ({ state, audience }: CallingKey): string => {
  if (state === "misdirected") return TEXTS.misdirected;
  if (state === "expired") return audience === null ? TEXTS.expired : TEXTS.tokenExpired;
  return audience === null ? TEXTS.revoked : TEXTS.disconnected;
};

/** Counts calls without a known key by address. @throws AppError `unauthenticated`, `invalid_key`, `too_many` */
export const authenticateKey = async (
  request: Request,
  audience: Audience,
  visitor: Extract<Actor, { kind: "visitor" }>,
): Promise<CallingKey> => {
  const ctx = composeContext(visitor, createWideEvent());
  const authorization = request.headers.get("authorization");
  const secret = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (secret) countCall("apiKeys", visitor.address, rateLimitFactor(), ctx.now());
  const key = secret ? await findKey(ctx, secret) : null;
  if (key?.audience && key.audience !== audience) return { ...key, state: "misdirected" };
  if (key) return key;
  await limitCall(ctx, "default", visitor.address, rateLimitFactor());
  throw new AppError(authorization === null ? "unauthenticated" : "invalid_key", {
    ...(authorization === null && { text: "Send an API key: Authorization: Bearer evertack_…" }),
  });
};

/** @throws AppError `invalid_key` with the reason */
export const requireActive = (key: CallingKey): void => {
  if (key.state !== "active") throw new AppError("invalid_key", { text: textOf(key) });
};

/** @throws AppError `scope_missing` */
export const requireScope = ({ scopes }: CallingKey, scope: Scope): void => {
  if (scopes.includes(scope)) return;
  throw new AppError("scope_missing", { text: `This call requires the scope ${scope}.`, more: { scope } });
};
