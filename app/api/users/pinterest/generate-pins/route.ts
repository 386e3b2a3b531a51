import { startGeneration } from "#lib/features/generation/groups.ts";
import { generatePinsInput } from "#lib/features/generation/schema.ts";
import { toStartWire } from "#lib/features/generation/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-10 */
export const POST = route({
  auth: "user",
  limit: "generate",
  input: generatePinsInput,
  run: startGeneration,
  present: toStartWire,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
