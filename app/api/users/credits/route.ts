import { readBalance, toCreditsWire } from "#lib/features/credits/statement.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-04 */
export const GET = route({ auth: "user", input: noInput, run: readBalance, present: toCreditsWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
