import { listAccounts } from "#lib/features/accounts/accounts.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { removeAccountInput } from "#lib/features/accounts/schema.ts";
import { toAccountWire } from "#lib/features/accounts/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-05: the connected accounts, a plain array. */
export const GET = route({
  auth: "user",
  input: noInput,
  run: listAccounts,
  present: (accounts) => accounts.map(toAccountWire),
});

/** R-API-06, A-13: removes the account named in the body. */
export const PUT = route({
  auth: "user",
  input: removeAccountInput,
  run: removeAccount,
  present: () => ({ message: TEXTS.removed }),
});

const other = answersOnly("GET", "PUT");

export { other as DELETE, other as PATCH, other as POST };
