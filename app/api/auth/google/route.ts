import { beginGoogleSignIn } from "#lib/features/sign-in/google.ts";
import { googleStartInput } from "#lib/features/sign-in/schema.ts";
import { nextPathOfForm, setGoogleCookie } from "#lib/server/actor.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Redirects to Google's sign-in. `create=1`: a new account may be created. */
  GET: route({
    auth: "visitor",
    limit: "google",
    input: googleStartInput,
    run: async (ctx, input) => beginGoogleSignIn(ctx, { ...input, next: await nextPathOfForm() }),
    respond: async ({ url, browserToken }) => {
      await setGoogleCookie(browserToken);
      return new Response(null, { status: 302, headers: { location: url } });
    },
  }),
});
