import "server-only";
import { toIso } from "#lib/core/time.ts";
import type { ScheduledBatch } from "./schedule-batch.ts";
import type { ScheduledWire } from "./schema.ts";

/** R-ENT-11, A-37 */
export const toScheduled = ({ lastPublishAt }: ScheduledBatch): ScheduledWire => ({
  last_publish: toIso(lastPublishAt),
});
