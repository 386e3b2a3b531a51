import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { bulkUpload } from "#lib/features/pins/schema.ts";
import { toBulk } from "#lib/features/pins/serializers.ts";
import { readUpload } from "#lib/features/pins/uploads.ts";
import { answersAcross, answersPreflight } from "#lib/server/actor.ts";
import { receivePins } from "#lib/server/received-files.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-09, R-BULK-08 */
export const POST = answersAcross(
  route({
    auth: "user",
    limit: "createBulk",
    receive: receivePins,
    input: bulkUpload.transform(readUpload),
    run: createBulk,
    present: toBulk,
  }),
);

const other = answersAcross(answersOnly("POST"));

export { answersPreflight as OPTIONS, other as DELETE, other as GET, other as PATCH, other as PUT };
