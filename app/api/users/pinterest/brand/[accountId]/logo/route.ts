import { storeLogo } from "#lib/features/branding/kit.ts";
import { storeLogoInput } from "#lib/features/branding/schema.ts";
import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { receiveLogo } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    /** Uploads the logo of an account's brand kit and responds with the kit. */
    POST: route({
      auth: "user",
      limit: "logo",
      receive: receiveLogo,
      input: storeLogoInput,
      run: storeLogo,
      present: (kit) => kit,
    }),
  },
  withCors,
);

export { preflightHandler as OPTIONS };
