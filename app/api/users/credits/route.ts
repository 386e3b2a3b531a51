import { readBalance, toCreditsWire } from "#lib/features/credits/statement.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({ auth: "user", input: noInput, run: readBalance, present: toCreditsWire }),
});
