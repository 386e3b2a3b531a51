import "server-only";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { IMAGE_PATH } from "#lib/features/pins/constants.ts";
import type { Slot } from "./free-times.ts";
import type { KnownPin } from "./queries.ts";
import type { Twin } from "./schedule-preview.ts";
import type { ScheduledBatch } from "./scheduling.ts";
import type { PreviewedSlotWire, PreviewWire, ScheduledWire } from "./schema.ts";

/** R-ENT-11, A-37 */
export const toScheduled = ({ lastPublishAt }: ScheduledBatch): ScheduledWire => ({
  last_publish: toIso(lastPublishAt),
});

const toTwin = ({ title, imageKey, by, pin }: Twin): PreviewedSlotWire["twin"] => ({
  title,
  image_url: `${IMAGE_PATH}${imageKey}`,
  by,
  status: pin?.status ?? "selected",
  at: pin ? toIso(pin.at) : null,
});

const toClash = ({ title, at }: KnownPin): PreviewedSlotWire["clash"] => ({ title, scheduled_at: toIso(at) });

/** A plan with what was found out about it, by the ids of its pins. */
export interface SchedulePreview {
  start: Date;
  slots: readonly Slot[];
  clashes: ReadonlyMap<string, KnownPin>;
  twins: ReadonlyMap<string, Twin>;
  freeStart: Date | null;
}

/** The answer of `preview-schedule`. */
export const toPreview = ({ start, slots, clashes, twins, freeStart }: SchedulePreview): PreviewWire => ({
  start: toIso(start),
  slots: slots.map(({ id, dueAt }) => {
    const [clash, twin] = [clashes.get(id), twins.get(id)];
    return {
      post_id: id,
      due_at: toIso(dueAt),
      clash: clash ? toClash(clash) : null,
      twin: twin ? toTwin(twin) : null,
    };
  }),
  free_start: toIsoOrNull(freeStart),
});
