import { storeLogo } from "#lib/features/branding/kit.ts";
import { storeLogoInput } from "#lib/features/branding/schema.ts";
import { answersAcross, answersPreflight } from "#lib/server/actor.ts";
import { receiveLogo } from "#lib/server/received-files.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** The logo of an account's brand kit; answers the kit. */
export const POST = answersAcross(
  route({
    auth: "user",
    limit: "logo",
    receive: receiveLogo,
    input: storeLogoInput,
    run: storeLogo,
    present: (kit) => kit,
  }),
);

const other = answersAcross(answersOnly("POST"));

export { answersPreflight as OPTIONS, other as DELETE, other as GET, other as PATCH, other as PUT };
