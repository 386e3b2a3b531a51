import { z } from "zod";
import { listKeywordLists, saveKeywords } from "#lib/features/keywords/lists.ts";
import { saveKeywordsInput } from "#lib/features/keywords/schema.ts";
import { toListDetailWire, toListsWire } from "#lib/features/keywords/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({ auth: "user", input: z.object({}), run: listKeywordLists, present: toListsWire }),
  /** Adds keywords to the list of a name, which is created if needed. */
  POST: route({ auth: "user", input: saveKeywordsInput, run: saveKeywords, present: toListDetailWire }),
});
