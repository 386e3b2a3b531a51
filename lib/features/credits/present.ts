import "server-only";
import { nextLink } from "#lib/core/paging.ts";
import { toIso } from "#lib/core/time.ts";
import { HISTORY_CALL } from "./constants.ts";
import { describeEntry, type ReservedFor } from "./policy.ts";
import type { BalanceView } from "./queries.ts";
import type { StatementEntry } from "./read-statement.ts";
import type { CreditsWire, HistoryWire } from "./schema.ts";

/** R-ENT-03, R-CRED-01 */
export const toCreditsWire = (balance: BalanceView): CreditsWire => ({ available_credits: balance.availableCredits });

/** A page of the history; `pin`: what a reservation was for, where that is still known. */
export interface HistoryPage {
  entries: readonly (StatementEntry & { pin: ReservedFor | null })[];
  nextCursor: string | null;
}

/** The statement in words. */
export const toHistoryWire = ({ entries }: HistoryPage): HistoryWire => ({
  entries: entries.map((entry) => ({
    id: entry.id,
    created_at: toIso(entry.createdAt),
    ...describeEntry(entry),
    credits: entry.credits,
    balance_after: entry.balanceAfter,
  })),
});

/** The `Link` header that leads to older entries, if there are any (DESIGN §7). */
export const toHistoryLink = (page: HistoryPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

/** The call that answers the older entries; null when there are none. */
export const toHistoryPath = ({ nextCursor }: HistoryPage, limit: number): string | null =>
  nextCursor === null ? null : `${HISTORY_CALL}?${new URLSearchParams({ limit: String(limit), cursor: nextCursor })}`;
