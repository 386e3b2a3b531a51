import { resetPassword } from "#lib/features/identity/password-reset.ts";
import { resetPasswordInput } from "#lib/features/identity/schema.ts";
import { knownBrowserCookie } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "resetConfirm",
    input: resetPasswordInput,
    run: resetPassword,
    present: ({ message }) => ({ message }),
    headers: ({ knownBrowser }) => ({ "set-cookie": knownBrowserCookie(knownBrowser) }),
  }),
});
