import { z } from "zod";
import { visible } from "#lib/core/text.ts";

const opaque = (maxChars: number) => z.string().min(1).max(maxChars).optional().catch(undefined);

/** Untrusted; `requireOwnedAccount` decides whether it is the caller's. */
export const accountId = z.string("An account ID is required.").min(1, "An account ID is required.").max(100);

export const removeAccountInput = z.object({ accountId });

/** `account_id` reconnects an existing account. */
export const startConnectionInput = z
  .object({ account_id: accountId.optional() })
  .transform((raw) => (raw.account_id === undefined ? {} : { accountId: raw.account_id }));
export type StartConnectionInput = z.output<typeof startConnectionInput>;

/** Unusable values are treated as missing. */
export const callbackInput = z.object({ state: opaque(1_000), code: opaque(2_000), error: opaque(2_000) });
export type CallbackInput = z.output<typeof callbackInput>;

export const listBoardsInput = z.object({ accountId });
export type ListBoardsInput = z.output<typeof listBoardsInput>;

/** Pinterest's limit for the name of a board, in characters. */
export const BOARD_NAME_MAX = 50;

export const createBoardInput = z.object({
  accountId,
  name: z
    .string("Enter a name for the board.")
    .transform((name) => visible(name).replaceAll(/\s+/g, " "))
    .refine((name) => name.length > 0, "Enter a name for the board.")
    .refine((name) => name.length <= BOARD_NAME_MAX, `Board names can have up to ${BOARD_NAME_MAX} characters.`),
});
export type CreateBoardInput = z.output<typeof createBoardInput>;

/** Counts are null when Pinterest does not provide them. */
export interface AccountWire {
  id: string;
  username: string;
  created: string;
  total_boards: number | null;
  total_pins: number | null;
  followers: number | null;
  monthly_views: number | null;
  status: "connected" | "reconnect_needed";
  profile_url: string;
}

export interface BoardWire {
  id: string;
  name: string;
  description: string;
  /** Any value but `PUBLIC` is not public. */
  privacy: string;
}

export interface BoardsWire {
  items: BoardWire[];
}
