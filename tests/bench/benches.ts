import type { Bench } from "./harness/bench.ts";

/** Every dimension that `npm run bench` knows; a new one joins here. */
export const benches: Bench[] = [];
