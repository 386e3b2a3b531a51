import { loginInput } from "#lib/features/identity/schema.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { encodeLogin, loginSubject } from "#lib/server/auth.ts";
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
    input: loginInput,
    run: logIn,
    respond: async (login, _ctx, request) =>
      Response.json(
        { accessToken: await encodeLogin(login, "access") },
        { headers: await loginCookies(login, request) },
      ),
  }),
});
