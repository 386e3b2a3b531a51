import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { pinImageUrl } from "#lib/features/pins/image-urls.ts";
import type { Slot } from "./free-times.ts";
import type { KnownPin } from "./queries.ts";
import type { Duplicate } from "./schedule-preview.ts";
import type { ScheduledBatch } from "./scheduling.ts";
import type { PreviewedSlotWire, PreviewWire, ScheduledWire } from "./schema.ts";

export const toScheduled = ({ lastPublishAt }: ScheduledBatch): ScheduledWire => ({
  last_publish: toIso(lastPublishAt),
});

const toDuplicateWire = (ctx: Ctx, { title, imageKey, by, pin }: Duplicate): PreviewedSlotWire["duplicate"] => ({
  title,
  image_url: pinImageUrl(ctx, { imageKey, status: pin?.status ?? "draft" }),
  by,
  status: pin?.status ?? "selected",
  at: pin ? toIso(pin.at) : null,
});

const toClash = ({ title, at }: KnownPin): PreviewedSlotWire["clash"] => ({ title, scheduled_at: toIso(at) });

interface SchedulePreview {
  start: Date;
  slots: readonly Slot[];
  clashes: ReadonlyMap<string, KnownPin>;
  duplicates: ReadonlyMap<string, Duplicate>;
  freeStart: Date | null;
  renewalDue: Date | null;
}

export const toPreview = (preview: SchedulePreview, ctx: Ctx): PreviewWire => {
  const { start, slots, clashes, duplicates, freeStart, renewalDue } = preview;
  return {
    start: toIso(start),
    slots: slots.map(({ id, dueAt }) => {
      const [clash, duplicate] = [clashes.get(id), duplicates.get(id)];
      return {
        post_id: id,
        due_at: toIso(dueAt),
        clash: clash ? toClash(clash) : null,
        duplicate: duplicate ? toDuplicateWire(ctx, duplicate) : null,
      };
    }),
    free_start: toIsoOrNull(freeStart),
    renewal_due: toIsoOrNull(renewalDue),
  };
};
