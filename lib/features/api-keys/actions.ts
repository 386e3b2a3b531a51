"use server";

import { action } from "#lib/server/action.ts";
import { createKey, revokeKey, rotateKey } from "./keys.ts";
import { createKeyInput, keyInput } from "./schema.ts";

export const createApiKeyAction = action("create-api-key", createKeyInput, createKey);
export const rotateApiKeyAction = action("rotate-api-key", keyInput, rotateKey);
export const revokeApiKeyAction = action("revoke-api-key", keyInput, revokeKey);
