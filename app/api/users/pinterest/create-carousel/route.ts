import { createCarousel } from "#lib/features/formats/creation.ts";
import { createCarouselInput } from "#lib/features/formats/schema.ts";
import { toCreatedWire } from "#lib/features/formats/serializers.ts";
import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { receiveCarousel } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    POST: route({
      auth: "user",
      limit: "createBulk",
      receive: receiveCarousel,
      input: createCarouselInput,
      run: createCarousel,
      present: toCreatedWire,
    }),
  },
  withCors,
);

export { preflightHandler as OPTIONS };
