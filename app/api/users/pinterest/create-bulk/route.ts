import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { bulkUpload } from "#lib/features/pins/schema.ts";
import { toBulk } from "#lib/features/pins/serializers.ts";
import { readUpload } from "#lib/features/pins/uploads.ts";
import { answersAcross, answersPreflight } from "#lib/server/actor.ts";
import { receivePins } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    /** R-API-09, R-BULK-08 */
    POST: route({
      auth: "user",
      limit: "createBulk",
      receive: receivePins,
      input: bulkUpload.transform(readUpload),
      run: createBulk,
      present: toBulk,
    }),
  },
  answersAcross,
);

export { answersPreflight as OPTIONS };
