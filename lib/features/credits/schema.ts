import { z } from "zod";
import { HISTORY_PAGE_MAX } from "./constants.ts";

const creditsWire = z.object({ available_credits: z.number().int() });
export type CreditsWire = z.output<typeof creditsWire>;

/** Free credits wait for a confirmed email, or another user gets them for the same Pinterest account. */
export type LeftOut = "email_unconfirmed" | "allowance_taken";

export const historyInput = z.object({
  limit: z.coerce.number("The limit must be a number.").int().min(1).max(HISTORY_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
});
export type HistoryInput = z.output<typeof historyInput>;

/** `reserved`: held for a pin in progress; `spent`: that pin was made. */
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

const entryWire = z.object({
  id: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  kind: entryKind,
  text: z.string(),
  detail: z.string().nullable(),
  /** Signed; 0 when there was nothing left to take back. */
  credits: z.number().int(),
  balance_after: z.number().int(),
});
export type EntryWire = z.output<typeof entryWire>;

export const historyWire = z.object({ entries: z.array(entryWire) });
export type HistoryWire = z.output<typeof historyWire>;
