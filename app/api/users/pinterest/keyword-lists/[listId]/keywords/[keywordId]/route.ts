import { removeSavedKeyword } from "#lib/features/keywords/lists.ts";
import { savedKeywordInput } from "#lib/features/keywords/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  DELETE: route({ auth: "user", input: savedKeywordInput, run: removeSavedKeyword }),
});
