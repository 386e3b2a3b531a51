import { loginInput } from "#lib/features/sign-in/schema.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { loginSubject } from "#lib/server/auth.ts";
import { challengeCookie, loginResponse } from "#lib/server/login-response.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Responds with the access token and sets the cookies of the same login. */
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "login",
    limitInput: {
      name: "loginAccount",
      subject: (input, actor) => loginSubject(input.email, "address" in actor ? actor.address : ""),
    },
    errorFormat: "fields",
    errorHeaders: challengeCookie,
    input: loginInput,
    run: logIn,
    respond: (login, _ctx, request) => loginResponse(login, request),
  }),
});
