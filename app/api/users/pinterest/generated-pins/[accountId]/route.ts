import { listPins } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toNextLink, toPinsWire } from "#lib/features/pins/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({
    auth: "user",
    input: listPinsInput,
    run: listPins,
    present: toPinsWire,
    headers: toNextLink,
  }),
});
