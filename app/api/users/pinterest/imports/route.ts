import { stageInput } from "#lib/features/spreadsheets/schema.ts";
import { toStagedWire } from "#lib/features/spreadsheets/serializers.ts";
import { stageSheet } from "#lib/features/spreadsheets/staging.ts";
import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { subjectOf } from "#lib/server/pipeline.ts";
import { receiveSheet } from "#lib/server/received-files.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes(
  {
    /** Stores the rows of a spreadsheet for review in `/app/import`. */
    POST: route({
      auth: "user",
      limit: "imports",
      limitInput: { name: "importZips", subject: ({ images }, actor) => (images ? subjectOf(actor) : null) },
      receive: receiveSheet,
      input: stageInput,
      run: stageSheet,
      present: toStagedWire,
    }),
  },
  withCors,
);

export { preflightHandler as OPTIONS };
