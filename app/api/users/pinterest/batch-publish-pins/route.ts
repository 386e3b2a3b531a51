import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { toScheduled } from "#lib/features/publishing/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "schedule",
    input: scheduleBatchInput,
    run: scheduleBatch,
    present: toScheduled,
  }),
});
