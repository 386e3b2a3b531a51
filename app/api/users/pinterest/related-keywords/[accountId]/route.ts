import { relatedInput } from "#lib/features/keywords/schema.ts";
import { toRelatedWire } from "#lib/features/keywords/serializers.ts";
import { readRelated } from "#lib/features/keywords/trends.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Keywords that Pinterest relates to a term. */
  GET: route({ auth: "user", input: relatedInput, run: readRelated, present: toRelatedWire }),
});
