import { listBoards } from "#lib/features/accounts/accounts.ts";
import { listBoardsInput } from "#lib/features/accounts/schema.ts";
import { toBoardsWire } from "#lib/features/accounts/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** All boards of an account, under `items`. */
  GET: route({ auth: "user", input: listBoardsInput, run: listBoards, present: toBoardsWire }),
});
