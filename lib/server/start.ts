import "server-only";
import { messageOf } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import { recordAddresses } from "./address.ts";

/** Reads the settings once, a missing or wrong one ends the process with one clear message; then sees who connects. */
export const startServer = (): void => {
  try {
    env();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
  recordAddresses();
};
