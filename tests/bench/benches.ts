import { apiBench } from "./api/index.ts";
import { dueBench } from "./due/index.ts";
import { generateBench } from "./generate/index.ts";
import type { Bench } from "./harness/bench.ts";
import { pictureBench } from "./picture/index.ts";
import { webBench } from "./web/index.ts";

/** Every dimension that `npm run bench` knows; a new one joins here. */
export const benches: Bench[] = [apiBench, dueBench, generateBench, pictureBench, webBench];
