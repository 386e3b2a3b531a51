import { toTrackingWire } from "#lib/features/generation/present.ts";
import { trackGenerationInput } from "#lib/features/generation/schema.ts";
import { trackGeneration } from "#lib/features/generation/track-generation.ts";
import { route } from "#lib/server/route.ts";

/** R-API-11 */
export const GET = route({
  auth: "user",
  input: trackGenerationInput,
  run: trackGeneration,
  present: toTrackingWire,
});
