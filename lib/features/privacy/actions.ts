"use server";

import { noInput } from "#lib/features/identity/schema.ts";
import { action } from "#lib/server/action.ts";
import { deleteUser } from "./erasure.ts";

export const deleteUserAction = action("delete-user", noInput, deleteUser);
