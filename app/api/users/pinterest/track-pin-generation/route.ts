import { trackGeneration } from "#lib/features/generation/groups.ts";
import { trackGenerationInput } from "#lib/features/generation/schema.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-11 */
export const GET = route({
  auth: "user",
  input: trackGenerationInput,
  run: trackGeneration,
  present: toTrackingWire,
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
