import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { ReservedFor } from "#lib/features/credits/policy.ts";
import { readStatement, type StatementEntry } from "#lib/features/credits/read-statement.ts";
import type { HistoryInput } from "#lib/features/credits/schema.ts";
import { findReservedFor } from "./queries.ts";

/** A user's entries, each with the pin that its credits were for, as long as its task is kept. */
export interface CreditHistory {
  entries: (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

/**
 * What happened to the actor's credits, newest first, with the keywords of the pins they went to. It stands here, since
 * only this room knows both the ledger and what credits were reserved for; the words are not written into the ledger,
 * which is never changed: a keyword goes with its task, or with its user.
 * @throws AppError `unauthenticated`; `invalid` for a cursor that is not of this list.
 */
export const listCreditEntries = async (ctx: Ctx, input: HistoryInput): Promise<CreditHistory> => {
  const userId = requireUserId(ctx);
  const { entries, nextCursor } = await readStatement(ctx, input);
  const references = entries.flatMap(({ reference }) => (reference === null ? [] : [reference]));
  const pinOf = await findReservedFor(ctx, { userId, taskIds: references });
  return {
    entries: entries.map((entry) => ({ ...entry, pin: (entry.reference && pinOf.get(entry.reference)) || null })),
    nextCursor,
  };
};
