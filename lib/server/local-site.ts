import "server-only";
import { env, isLoopback } from "#lib/env.ts";

/** Whether the site is for this machine alone; any other `APP_URL` is production (DESIGN §4). */
export const isLocalSite = (): boolean => isLoopback(env().APP_URL);
