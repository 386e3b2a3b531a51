import { toTopPinsWire } from "#lib/features/results/present.ts";
import { readTopPins } from "#lib/features/results/read-top-pins.ts";
import { topPinsInput } from "#lib/features/results/schema.ts";
import { answersOnly } from "#lib/server/refuse.ts";
import { route } from "#lib/server/route.ts";

/** the best pins of an account. */
export const GET = route({ auth: "user", input: topPinsInput, run: readTopPins, present: toTopPinsWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
