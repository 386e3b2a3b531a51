import { createVideoPin } from "#lib/features/formats/creation.ts";
import { createVideoInput } from "#lib/features/formats/schema.ts";
import { toCreatedWire } from "#lib/features/formats/serializers.ts";
import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { receiveVideo } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    POST: route({
      auth: "user",
      limit: "createVideo",
      receive: receiveVideo,
      input: createVideoInput,
      run: createVideoPin,
      present: toCreatedWire,
    }),
  },
  withCors,
);

export { preflightHandler as OPTIONS };
