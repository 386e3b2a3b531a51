import { deleteKeywordList, readKeywordList } from "#lib/features/keywords/lists.ts";
import { keywordListInput, readKeywordListInput } from "#lib/features/keywords/schema.ts";
import { toListDetailWire } from "#lib/features/keywords/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({ auth: "user", input: readKeywordListInput, run: readKeywordList, present: toListDetailWire }),
  DELETE: route({ auth: "user", input: keywordListInput, run: deleteKeywordList }),
});
