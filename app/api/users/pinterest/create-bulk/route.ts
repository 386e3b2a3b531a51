import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { bulkUpload } from "#lib/features/pins/schema.ts";
import { toBulkWire } from "#lib/features/pins/serializers.ts";
import { readUpload } from "#lib/features/pins/uploads.ts";
import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { receivePins } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    POST: route({
      auth: "user",
      limit: "createBulk",
      receive: receivePins,
      input: bulkUpload.transform(readUpload),
      run: createBulk,
      present: toBulkWire,
    }),
  },
  withCors,
);

export { preflightHandler as OPTIONS };
