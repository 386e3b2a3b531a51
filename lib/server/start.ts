import "server-only";
import { messageOf } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";

/** Reads the settings once; a missing or wrong one ends the process with one clear message. */
export const startServer = (): void => {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
};
