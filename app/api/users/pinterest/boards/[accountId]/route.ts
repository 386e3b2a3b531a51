import { listBoards } from "#lib/features/accounts/accounts.ts";
import { listBoardsInput } from "#lib/features/accounts/schema.ts";
import { toBoardsWire } from "#lib/features/accounts/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-08: all boards of an account, under `items`. */
export const GET = route({ auth: "user", input: listBoardsInput, run: listBoards, present: toBoardsWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
