import "server-only";
import { accountOperations } from "./accounts.ts";
import { analyticsOperations } from "./analytics.ts";
import { creditOperations } from "./credits.ts";
import { generationOperations } from "./generations.ts";
import { keywordOperations } from "./keywords.ts";
import type { Operation } from "./operation.ts";
import { pinOperations } from "./pins.ts";
import { scheduleOperations } from "./schedules.ts";
import { videoOperations } from "./videos.ts";
import { webhookOperations } from "./webhooks.ts";

/** Every call of the public API, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...accountOperations,
  ...pinOperations,
  ...scheduleOperations,
  ...generationOperations,
  ...analyticsOperations,
  ...keywordOperations,
  ...creditOperations,
  ...videoOperations,
  ...webhookOperations,
];
