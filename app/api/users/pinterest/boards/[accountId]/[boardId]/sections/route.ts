import { listSections } from "#lib/features/accounts/accounts.ts";
import { listSectionsInput } from "#lib/features/accounts/schema.ts";
import { toSectionsWire } from "#lib/features/accounts/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** All sections of a board, under `items`. */
  GET: route({ auth: "user", input: listSectionsInput, run: listSections, present: toSectionsWire }),
});
