import { readTopPins } from "#lib/features/analytics/pin-metrics.ts";
import { topPinsInput } from "#lib/features/analytics/schema.ts";
import { toTopPinsWire } from "#lib/features/analytics/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The top pins of an account. */
  GET: route({ auth: "user", input: topPinsInput, run: readTopPins, present: toTopPinsWire }),
});
