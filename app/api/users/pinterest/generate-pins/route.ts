import { startGeneration } from "#lib/features/generation/groups.ts";
import { generatePinsInput } from "#lib/features/generation/schema.ts";
import { toStartWire } from "#lib/features/generation/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "user",
    limit: "generate",
    takesWriteKey: true,
    input: generatePinsInput,
    run: startGeneration,
    present: toStartWire,
  }),
});
