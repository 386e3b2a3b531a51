import { trackGeneration } from "#lib/features/generation/groups.ts";
import { trackGenerationInput } from "#lib/features/generation/schema.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({
    auth: "user",
    input: trackGenerationInput,
    run: trackGeneration,
    present: toTrackingWire,
  }),
});
