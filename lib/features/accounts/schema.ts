import { z } from "zod";

const opaque = (maxChars: number) => z.string().min(1).max(maxChars).optional().catch(undefined);

/** An id as it comes from outside: any short text; whether it names an account of the caller is the gate's to say. */
export const accountId = z.string("An account id is needed.").min(1, "An account id is needed.").max(100);

/** PUT /api/users/pinterest/accounts/ (A-13). */
export const removeAccountInput = z.object({ accountId });

/** GET /api/users/pinterest/auth/; with `account_id` an existing account is connected again. */
export const startConnectionInput = z
  .object({ account_id: accountId.optional() })
  .transform((raw) => (raw.account_id === undefined ? {} : { accountId: raw.account_id }));
export type StartConnectionInput = z.output<typeof startConnectionInput>;

/** GET /api/users/pinterest/callback/: what Pinterest, or anybody, sends there. What is unusable counts as absent. */
export const callbackInput = z.object({ state: opaque(1_000), code: opaque(2_000), error: opaque(2_000) });
export type CallbackInput = z.output<typeof callbackInput>;

/** GET /api/users/pinterest/boards/{accountId}/ */
export const listBoardsInput = z.object({ accountId });
export type ListBoardsInput = z.output<typeof listBoardsInput>;

/** R-ENT-04, and whether the account must be connected again. Counts are null when Pinterest does not tell them. */
export interface AccountWire {
  id: string;
  username: string;
  /** ISO 8601: when it was connected; Pinterest tells no date of creation. */
  created: string;
  total_boards: number | null;
  total_pins: number | null;
  followers: number | null;
  monthly_views: number | null;
  status: "connected" | "reconnect_needed";
  /** The public profile page (R-ACC-05). */
  profile_url: string;
}

/** R-ENT-05 */
export interface BoardWire {
  id: string;
  name: string;
  description: string;
  /** PUBLIC, or another word: then the lock shows (R-BRD-04). */
  privacy: string;
}

export interface BoardsWire {
  items: BoardWire[];
}
