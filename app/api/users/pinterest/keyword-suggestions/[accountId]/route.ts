import { suggestionsInput } from "#lib/features/keywords/schema.ts";
import { toSuggestionsWire } from "#lib/features/keywords/serializers.ts";
import { suggestKeywords } from "#lib/features/keywords/suggestions.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Keywords that complete or vary what was typed: the user's own, and Pinterest's. */
  GET: route({ auth: "user", input: suggestionsInput, run: suggestKeywords, present: toSuggestionsWire }),
});
