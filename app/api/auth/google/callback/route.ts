import { cookies, headers } from "next/headers";
import { GOOGLE_COOKIE } from "#lib/core/browser-keys.ts";
import { pathWithNext } from "#lib/core/paths.ts";
import { finishGoogle, type GoogleOutcome } from "#lib/features/sign-in/google.ts";
import { googleCallbackInput } from "#lib/features/sign-in/schema.ts";
import { markFormLogin, setGoogleCookie, setLoginCookies, setSecondStepCookie, visitorOf } from "#lib/server/actor.ts";
import { limitCall, rateLimitFactor } from "#lib/server/rate-limit.ts";
import { route, routes } from "#lib/server/route.ts";

const pathOf = (outcome: GoogleOutcome): string => {
  if (outcome.kind === "signed_in") return outcome.next;
  if (outcome.kind === "second_step") return pathWithNext("/login/verify/", outcome.next);
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
      const [jar, all] = await Promise.all([cookies(), headers()]);
      const cookie = (name: string) => jar.get(name)?.value ?? null;
      const visitor = visitorOf({ method: "GET", header: (name) => all.get(name), cookie });
      return finishGoogle(ctx, {
        callbackUrl: new URL(search, ctx.settings.appUrl),
        browserToken: cookie(GOOGLE_COOKIE),
        visitor,
        limitRegistration: async () => {
          await limitCall(ctx, "register", visitor.address, rateLimitFactor());
        },
      });
    },
    respond: async (outcome) => {
      await setGoogleCookie(null);
      if (outcome.kind === "signed_in") {
        await setLoginCookies(outcome.login);
        await markFormLogin();
      }
      if (outcome.kind === "second_step") await setSecondStepCookie(outcome.challenge);
      return new Response(null, { status: 302, headers: { location: pathOf(outcome) } });
    },
  }),
});
