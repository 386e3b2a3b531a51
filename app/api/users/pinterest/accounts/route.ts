import { listAccounts } from "#lib/features/accounts/accounts.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { removeAccountInput } from "#lib/features/accounts/schema.ts";
import { toAccountWire } from "#lib/features/accounts/serializers.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The connected accounts, a plain array. */
  GET: route({
    auth: "user",
    input: noInput,
    run: listAccounts,
    present: (accounts) => accounts.map(toAccountWire),
  }),
  /** Removes the account named in the body. */
  PUT: route({
    auth: "user",
    input: removeAccountInput,
    run: removeAccount,
    present: () => ({ message: TEXTS.removed }),
  }),
});
