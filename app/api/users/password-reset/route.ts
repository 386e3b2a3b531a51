import { requestReset } from "#lib/features/identity/password-reset.ts";
import { requestResetInput } from "#lib/features/identity/schema.ts";
import { loginSubject } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "reset",
    limitInput: {
      name: "resetAccount",
      subject: (input, actor) => loginSubject(input.email, "address" in actor ? actor.address : ""),
    },
    input: requestResetInput,
    run: requestReset,
    present: (answer) => answer,
  }),
});
