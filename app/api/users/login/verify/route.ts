import { verifyInput } from "#lib/features/sign-in/schema.ts";
import { verifySecondStep } from "#lib/features/sign-in/second-step.ts";
import { loginResponse } from "#lib/server/login-response.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The second step of a login, which answers as the login does. */
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "login",
    input: verifyInput,
    run: verifySecondStep,
    respond: (login, _ctx, request) => loginResponse(login, request),
  }),
});
