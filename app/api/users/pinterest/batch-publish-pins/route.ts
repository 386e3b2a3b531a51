import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { toScheduled } from "#lib/features/publishing/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-13 */
export const POST = route({
  auth: "user",
  limit: "schedule",
  input: scheduleBatchInput,
  run: scheduleBatch,
  present: toScheduled,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
