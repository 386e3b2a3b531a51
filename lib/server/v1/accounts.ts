import "server-only";
import { z } from "zod";
import { listAccounts, listBoards, listSections, readAccount } from "#lib/features/accounts/accounts.ts";
import type { AccountWire } from "#lib/features/accounts/schema.ts";
import { toAccountWire } from "#lib/features/accounts/serializers.ts";
import { id, listOf, ownId, text, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const counted = (description: string) =>
  z
    .number()
    .int()
    .nullable()
    .meta({ description: `${description} Null if Pinterest doesn't provide it.` });

const account = z
  .object({
    id: ownId("The account's ID, which other calls take as `account_id`."),
    username: text("The name on Pinterest, without @."),
    profile_url: z.string(),
    status: z
      .enum(["connected", "reconnect_needed"])
      .meta({ description: "`reconnect_needed`: the user has to connect it again; its scheduled pins wait." }),
    connected_at: time("When it was connected."),
    boards: counted("How many boards it has."),
    pins: counted("How many pins it has."),
    followers: counted("How many followers it has."),
    monthly_views: counted("Its monthly views."),
  })
  .meta({ id: "Account", description: "A connected Pinterest account." });

const toAccount = (wire: AccountWire): z.output<typeof account> => ({
  ...{ id: wire.id, username: wire.username, profile_url: wire.profile_url, status: wire.status },
  ...{ connected_at: wire.created, boards: wire.total_boards, pins: wire.total_pins },
  ...{ followers: wire.followers, monthly_views: wire.monthly_views },
});

const board = z
  .object({
    id: ownId("The board's ID on Pinterest."),
    name: z.string(),
    description: z.string(),
    privacy: text("`PUBLIC`, or another value when it isn't public."),
  })
  .meta({ id: "Board", description: "A board of a Pinterest account, read live." });

const section = z
  .object({ id: ownId("The section's ID on Pinterest."), name: z.string() })
  .meta({ id: "BoardSection", description: "A section of a board, read live." });

export const accountParams = z.strictObject({ account_id: id("An account's ID.") });

const boardParams = accountParams.extend({
  board_id: z
    .string()
    .regex(/^\d{1,30}$/, "This isn't the ID of a board.")
    .meta({ description: "A board's ID." }),
});

export const accountOperations: readonly Operation[] = [
  operation({
    ...{ id: "listAccounts", method: "GET", path: "/accounts", tag: "Accounts", scope: "accounts:read" },
    summary: "List accounts",
    response: listOf(account).meta({ id: "AccountList" }),
    run: async (ctx) => ({ data: (await listAccounts(ctx)).map((one) => toAccount(toAccountWire(one))) }),
  }),
  operation({
    ...{ id: "getAccount", method: "GET", path: "/accounts/{account_id}", tag: "Accounts", scope: "accounts:read" },
    summary: "Get an account",
    params: accountParams,
    response: account,
    errors: ["not_found"],
    run: async (ctx, { params }) => toAccount(toAccountWire(await readAccount(ctx, { accountId: params.account_id }))),
  }),
  operation({
    ...{ id: "listBoards", method: "GET", path: "/accounts/{account_id}/boards", tag: "Accounts" },
    scope: "accounts:read",
    summary: "List boards",
    description: "All boards of an account, secret ones included, read live from Pinterest.",
    params: accountParams,
    response: listOf(board).meta({ id: "BoardList" }),
    errors: ["not_found", "reconnect_needed", "refused", "provider_failed", "provider_unavailable"],
    run: async (ctx, { params }) => {
      const boards = await listBoards(ctx, { accountId: params.account_id });
      return {
        data: boards.map(({ id: boardId, name, description, privacy }) => ({
          id: boardId,
          name,
          description,
          privacy,
        })),
      };
    },
  }),
  operation({
    ...{ id: "listSections", method: "GET", path: "/accounts/{account_id}/boards/{board_id}/sections" },
    ...{ tag: "Accounts", scope: "accounts:read" },
    summary: "List the sections of a board",
    params: boardParams,
    response: listOf(section).meta({ id: "BoardSectionList" }),
    errors: ["not_found", "reconnect_needed", "refused", "provider_failed", "provider_unavailable"],
    run: async (ctx, { params }) => {
      const sections = await listSections(ctx, { accountId: params.account_id, boardId: params.board_id });
      return { data: sections.map(({ id: sectionId, name }) => ({ id: sectionId, name })) };
    },
  }),
];
