import { loginInput } from "#lib/features/identity/schema.ts";
import { logIn } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { encodeLogin, loginSubject } from "#lib/server/auth.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-02: answers the access token and sets the cookies of the same login (D7). */
export const POST = route({
  auth: "visitor",
  limit: "login",
  limitInput: {
    name: "loginAccount",
    subject: (input, actor) => loginSubject(input.email, "address" in actor ? actor.address : ""),
  },
  dialect: "fields",
  input: loginInput,
  run: logIn,
  respond: async (login, _ctx, request) =>
    Response.json({ accessToken: await encodeLogin(login, "access") }, { headers: await loginCookies(login, request) }),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
