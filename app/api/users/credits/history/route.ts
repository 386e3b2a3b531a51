import { historyInput } from "#lib/features/credits/schema.ts";
import { toHistoryLink, toHistoryWire } from "#lib/features/credits/statement.ts";
import { listCreditEntries } from "#lib/features/generation/groups.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The credit history. */
  GET: route({
    auth: "user",
    input: historyInput,
    run: listCreditEntries,
    present: toHistoryWire,
    headers: toHistoryLink,
  }),
});
