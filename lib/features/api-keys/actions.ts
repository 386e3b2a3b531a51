"use server";

import { action } from "#lib/server/action.ts";
import { createKey, revokeKey, rotateKey } from "./keys.ts";
import { createKeyInput, keyInput } from "./schema.ts";

export const createKeyAction = action("create-api-key", createKeyInput, createKey);
export const rotateKeyAction = action("rotate-api-key", keyInput, rotateKey);
export const revokeKeyAction = action("revoke-api-key", keyInput, revokeKey);
