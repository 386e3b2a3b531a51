import "server-only";
import { and, inArray, or } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { isAskable, isStuck, isWorking } from "./queries.ts";

/** `withRefused`: those too that Pinterest refuses, whose figures come only when somebody does something. */
interface Unfinished {
  accountIds: readonly AccountId[];
  withRefused: boolean;
}

/** Whether figures of one of these accounts are still being fetched, or ought to be. */
export const findUnfinished = async (ctx: Ctx, { accountIds, withRefused }: Unfinished): Promise<boolean> => {
  const isWanted = withRefused ? isStuck(ctx) : isAskable(ctx);
  const isOpen = and(inArray(pinterestAccounts.id, [...accountIds]), or(isWorking, isWanted));
  return (await ctx.db.$count(pinterestAccounts, isOpen)) > 0;
};
