import { toUserWire } from "#lib/features/identity/queries.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-14 */
export const GET = route({ auth: "user", input: noInput, run: readSessionUser, present: toUserWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
