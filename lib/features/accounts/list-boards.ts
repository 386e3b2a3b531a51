import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinterestBoard } from "#lib/integrations/pinterest/port.ts";
import { createLiveReads } from "./create-live-reads.ts";
import { toProviderError } from "./policy.ts";
import { requireOwnedAccount } from "./queries.ts";
import type { ListBoardsInput } from "./schema.ts";
import { withAccessToken } from "./use-access-token.ts";

const boardReads = createLiveReads<PinterestBoard[]>();

/**
 * All boards of one of the actor's accounts, secret ones among them, read live over all of Pinterest's pages
 * (R-BRD-02, R-BRD-07, D8).
 * @throws AppError `not_found`, `reconnect_needed`, `provider_unavailable`, `refused`.
 */
export const listBoards = async (ctx: Ctx<"pinterest">, input: ListBoardsInput): Promise<PinterestBoard[]> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return boardReads.read(ctx, account.id, async () => {
    const answer = await withAccessToken(ctx, account.id, (accessToken) => ctx.pinterest.listBoards(accessToken));
    if (answer.kind === "problem") throw toProviderError(answer.problem);
    return answer.value;
  });
};
