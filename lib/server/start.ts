import "server-only";
import { messageOf } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import { recordAddresses } from "./address.ts";
import { metrics } from "./metrics.ts";

/**
 * Reads the settings once, a missing or wrong one ends the process with one clear message; then sees who connects, and
 * counts for the metrics where they are asked for.
 */
export const startServer = (): void => {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
  recordAddresses();
  if (env().METRICS_TOKEN !== undefined) metrics();
};
