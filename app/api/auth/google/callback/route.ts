import { cookies } from "next/headers";
import { GOOGLE_COOKIE } from "#lib/core/browser-keys.ts";
import { finishGoogle, type GoogleOutcome } from "#lib/features/sign-in/google.ts";
import { googleCallbackInput } from "#lib/features/sign-in/schema.ts";
import { setGoogleCookie, setLoginCookies, setSecondStepCookie } from "#lib/server/actor.ts";
import { route, routes } from "#lib/server/route.ts";

const pathOf = (outcome: GoogleOutcome): string => {
  if (outcome.kind === "signed_in") return outcome.next;
  if (outcome.kind === "second_step") return `/login/verify/?next=${encodeURIComponent(outcome.next)}`;
  if (outcome.kind === "linked") return "/app/settings/?google=connected#google";
  if (outcome.isLink) return `/app/settings/?google=${outcome.reason}#google`;
  return `${outcome.reason === "google_unknown" ? "/register" : "/login"}/?error=${outcome.reason}`;
};

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Google redirects here after its sign-in. */
  GET: route({
    auth: "none",
    limit: "google",
    input: googleCallbackInput,
    run: async (ctx, { search }) => {
      const browserToken = (await cookies()).get(GOOGLE_COOKIE)?.value ?? null;
      return finishGoogle(ctx, { callbackUrl: new URL(search, ctx.settings.appUrl), browserToken });
    },
    respond: async (outcome) => {
      await setGoogleCookie(null);
      if (outcome.kind === "signed_in") await setLoginCookies(outcome.login);
      if (outcome.kind === "second_step") await setSecondStepCookie(outcome.challenge);
      return new Response(null, { status: 302, headers: { location: pathOf(outcome) } });
    },
  }),
});
