import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { type Begun, beginGather } from "./begin-gather.ts";
import type { GatherInput } from "./schema.ts";

/**
 * Has the figures of an account's published pins fetched where they are missing or go soon. Asked again while a
 * run works, while all is fresh, or right after a run was held, it does nothing. What the engine does not take now, the
 * sweep sends.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const askForResults = async (ctx: Ctx<"jobs">, input: GatherInput): Promise<Begun> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  return account.status === "connected" ? beginGather(ctx, account.id) : { isAsked: false };
};
