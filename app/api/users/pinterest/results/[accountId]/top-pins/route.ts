import { readTopPins } from "#lib/features/analytics/pin-results.ts";
import { topPinsInput } from "#lib/features/analytics/schema.ts";
import { toTopPinsWire } from "#lib/features/analytics/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** the best pins of an account. */
export const GET = route({ auth: "user", input: topPinsInput, run: readTopPins, present: toTopPinsWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
