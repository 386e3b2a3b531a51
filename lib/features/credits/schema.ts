import { z } from "zod";
import { HISTORY_PAGE_MAX } from "./constants.ts";

/** R-ENT-03, as `GET /api/users/credits/` answers it (R-API-04). */
export const creditsWire = z.object({ available_credits: z.number().int() });
export type CreditsWire = z.output<typeof creditsWire>;

/** `GET /api/users/credits/history/`: without a limit everything (DESIGN §7). */
export const historyInput = z.object({
  limit: z.coerce.number("The limit is a number.").int().min(1).max(HISTORY_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
});
export type HistoryInput = z.output<typeof historyInput>;

/** What happened to credits. `reserved`: held for a pin in progress; `spent`: that pin was made. */
export const entryKind = z.enum([
  "allowance",
  "expired",
  "granted",
  "bought",
  "taken_back",
  "given_back",
  "reserved",
  "spent",
  "returned",
]);
export type EntryKind = z.output<typeof entryKind>;

/** One line of a user's statement. */
export const entryWire = z.object({
  id: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  kind: entryKind,
  /** What happened, in a few words. */
  text: z.string(),
  /** Why, where that is another sentence. */
  detail: z.string().nullable(),
  /** Signed; 0 where there was nothing left to take back. */
  credits: z.number().int(),
  /** Credits that were available afterwards. */
  balance_after: z.number().int(),
});
export type EntryWire = z.output<typeof entryWire>;

/** Newest first. */
export const historyWire = z.object({ entries: z.array(entryWire) });
export type HistoryWire = z.output<typeof historyWire>;
