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

/** Pinterest's limits for names, in characters. */
export const BOARD_NAME_MAX = 50;
export const SECTION_NAME_MAX = 180;

const nameOf = (what: "board" | "section", max: number) =>
  z
    .string(`Enter a name for the ${what}.`)
    .transform((name) => visible(name).replaceAll(/\s+/g, " "))
    .refine((name) => name.length > 0, `Enter a name for the ${what}.`)
    .refine((name) => name.length <= max, `The name of a ${what} can have up to ${max} characters.`);

export const createBoardInput = z.object({ accountId, name: nameOf("board", BOARD_NAME_MAX) });
export type CreateBoardInput = z.output<typeof createBoardInput>;

export const listSectionsInput = z.object({
  accountId,
  boardId: z.string("A board ID is required.").regex(/^\d{1,30}$/, "This isn't the ID of a board."),
});
export type ListSectionsInput = z.output<typeof listSectionsInput>;

export const createSectionInput = z.object({
  ...listSectionsInput.shape,
  name: nameOf("section", SECTION_NAME_MAX),
});
export type CreateSectionInput = z.output<typeof createSectionInput>;

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

export interface SectionWire {
  id: string;
  name: string;
}

export interface SectionsWire {
  items: SectionWire[];
}

export interface BoardsWire {
  items: BoardWire[];
}
