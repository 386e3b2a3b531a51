import "server-only";
import { house, listenToDatabase } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import { DRAWING_CHANNEL } from "#lib/features/generation/image-slots.ts";
import { recordAddresses } from "./address.ts";
import { keepListening } from "./event-hub.ts";
import { metrics } from "./metrics.ts";
import { drainOnSignals, onShutdown } from "./shutdown.ts";

/** Wakes calls that wait for a place to draw when another process hands one on; missing that costs them two seconds. */
const hearOfPlaces = (): void => {
  const ear = keepListening({
    open: (onPayload) => listenToDatabase(DRAWING_CHANNEL, onPayload),
    onPayload: (waiter) => house().bell.ring(waiter),
    onOpen: () => {},
  });
  onShutdown(() => ear.close());
};

/**
 * Reads the settings once, a missing or wrong one ends the process with one clear message; then sees who connects,
 * hears of places to draw, ends in order when it is told to, and counts for the metrics where they are asked for.
 */
export const startServer = (): void => {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
  recordAddresses();
  hearOfPlaces();
  drainOnSignals();
  if (env().METRICS_TOKEN !== undefined) metrics();
};
