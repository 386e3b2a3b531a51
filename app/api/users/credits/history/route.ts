import { historyInput } from "#lib/features/credits/schema.ts";
import { toHistoryLink, toHistoryWire } from "#lib/features/credits/statement.ts";
import { listCreditEntries } from "#lib/features/generation/groups.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** DESIGN §6: each credit's story. */
export const GET = route({
  auth: "user",
  input: historyInput,
  run: listCreditEntries,
  present: toHistoryWire,
  headers: toHistoryLink,
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
