import { analyticsBench } from "./analytics/index.ts";
import { apiBench } from "./api/index.ts";
import { calendarBench } from "./calendar/index.ts";
import { dueBench } from "./due/index.ts";
import { extractBench } from "./extract/index.ts";
import { generateBench } from "./generate/index.ts";
import type { Bench } from "./harness/bench.ts";
import { hostileHtmlBench } from "./hostile-html/index.ts";
import { imageBench } from "./image/index.ts";
import { ledgerBench } from "./ledger/index.ts";
import { libraryBench } from "./library/index.ts";
import { pagesBench } from "./pages/index.ts";
import { planBench } from "./plan/index.ts";
import { scaleBench } from "./scale/index.ts";
import { templatesBench } from "./templates/index.ts";
import { uploadsBench } from "./uploads/index.ts";
import { videosBench } from "./videos/index.ts";
import { webBench } from "./web/index.ts";
import { webhooksBench } from "./webhooks/index.ts";

/** All benches of `npm run bench`. */
export const benches: Bench[] = [
  analyticsBench,
  apiBench,
  calendarBench,
  dueBench,
  extractBench,
  generateBench,
  hostileHtmlBench,
  ledgerBench,
  libraryBench,
  imageBench,
  pagesBench,
  planBench,
  scaleBench,
  templatesBench,
  uploadsBench,
  videosBench,
  webBench,
  webhooksBench,
];
