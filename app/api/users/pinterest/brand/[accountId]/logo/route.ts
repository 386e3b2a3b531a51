import { storeLogo } from "#lib/features/branding/kit.ts";
import { storeLogoInput } from "#lib/features/branding/schema.ts";
import { answersAcross, answersPreflight } from "#lib/server/actor.ts";
import { receiveLogo } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    /** The logo of an account's brand kit; answers the kit. */
    POST: route({
      auth: "user",
      limit: "logo",
      receive: receiveLogo,
      input: storeLogoInput,
      run: storeLogo,
      present: (kit) => kit,
    }),
  },
  answersAcross,
);

export { answersPreflight as OPTIONS };
