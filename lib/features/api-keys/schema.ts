import { z } from "zod";
import { visible } from "#lib/core/text.ts";
import { DAILY_CREDITS_MAX, KEY_LIFETIMES_DAYS, KEY_NAME_MAX, SCOPES, type Scope, TEXTS } from "./constants.ts";
import type { KeyState } from "./policy.ts";

const name = z
  .string(TEXTS.nameMissing)
  .transform((text) => visible(text).replace(/\s+/g, " "))
  .refine((text) => text.length > 0, TEXTS.nameMissing)
  .refine((text) => text.length <= KEY_NAME_MAX, TEXTS.nameTooLong);

const scopes = z
  .array(z.enum(SCOPES, TEXTS.scopeInvalid), TEXTS.noScopes)
  .min(1, TEXTS.noScopes)
  .max(SCOPES.length, TEXTS.scopeInvalid)
  .transform((chosen) => SCOPES.filter((scope) => chosen.includes(scope)));

export const createKeyInput = z.object({
  name,
  scopes,
  dailyCredits: z
    .number(TEXTS.dailyCreditsInvalid)
    .int(TEXTS.dailyCreditsInvalid)
    .min(0, TEXTS.dailyCreditsInvalid)
    .max(DAILY_CREDITS_MAX, TEXTS.dailyCreditsInvalid)
    .nullable(),
  lifetimeDays: z.literal(KEY_LIFETIMES_DAYS, TEXTS.lifetimeInvalid),
});
export type CreateKeyInput = z.output<typeof createKeyInput>;

export const keyInput = z.object({ keyId: z.string().min(1).max(100) });
export type KeyInput = z.output<typeof keyInput>;

/** The whole secret, which is not shown again. */
export interface CreatedKey {
  secret: string;
}

export interface ApiKeyView {
  id: string;
  name: string;
  scopes: Scope[];
  secretStart: string;
  /** Whether it is the access of a connected app, which has no secret that the user knows. */
  isApp: boolean;
  state: KeyState;
  dailyCredits: number | null;
  /** ISO 8601, as below. */
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** Calls of one hour with the same key, status and network. */
export interface KeyUseView {
  id: string;
  keyName: string;
  call: string;
  status: number;
  network: string;
  calls: number;
  /** ISO 8601 */
  lastAt: string;
}
