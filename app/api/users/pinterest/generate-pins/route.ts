import { toStartWire } from "#lib/features/generation/present.ts";
import { generatePinsInput } from "#lib/features/generation/schema.ts";
import { startGeneration } from "#lib/features/generation/start-generation.ts";
import { answersOnly } from "#lib/server/refuse.ts";
import { route } from "#lib/server/route.ts";

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
