import "server-only";
import type { Ctx } from "#lib/context.ts";
import { nextLink } from "#lib/core/paging.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { warningOf } from "#lib/features/links/policy.ts";
import type { LinkCheck } from "#lib/features/links/schema.ts";
import type { CreatedBulk } from "./bulk-create.ts";
import { TEXTS } from "./constants.ts";
import type { EditPlan } from "./edits.ts";
import { pinImageUrl, signedVideoUrl } from "./image-urls.ts";
import type { PinPage } from "./library.ts";
import { templateIdOf } from "./policy.ts";
import type { AccountSummary, Attempt, ListedPin, PinSlide, PinVideo } from "./queries.ts";
import type { AttemptWire, BulkWire, PinsWire, PinWire, PlannedEdit, SlideWire, VideoWire } from "./schema.ts";

/** A scheduled pin of a disconnected account gets a reason before its time comes. */
const reasonOf = ({ status, reason }: ListedPin, account: AccountSummary): string | null =>
  reason ?? (status === "scheduled" && account.status === "reconnect_needed" ? TEXTS.waitsForAccount : null);

export const toPinWire = (ctx: Ctx<"pinterest">, pin: ListedPin, account: AccountSummary): PinWire => ({
  id: pin.id,
  title: pin.title,
  description: pin.description,
  image_url: pinImageUrl(ctx, pin),
  keyword: pin.keyword,
  url: pin.link,
  status: pin.status,
  created_at: toIso(pin.createdAt),
  scheduled_at: toIsoOrNull(pin.scheduledAt),
  published_at: toIsoOrNull(pin.publishedAt),
  pinterest_url: pin.pinterestPinId ? ctx.pinterest.pinUrl(pin.pinterestPinId) : null,
  account_id: pin.accountId,
  board_id: pin.boardId,
  board_section_id: pin.boardSectionId,
  alt_text: pin.altText,
  reason: reasonOf(pin, account),
  may_be_published: pin.mayBePublished,
  check_url: pin.mayBePublished ? ctx.pinterest.profileUrl(account.username) : null,
  source: pin.source,
  format: pin.format,
  placeholder: pin.placeholder,
  review: pin.review,
  template_id: templateIdOf(pin.template),
  link_state: pin.linkCheck?.state ?? null,
  link_warning: warningOf(pin.link, pin.linkCheck),
  link_checking: pin.linkCheck?.isBeingChecked ?? false,
  from_page: pin.isFromPage,
});

export const toPinsWire = (page: PinPage, ctx: Ctx<"pinterest">): PinsWire => ({
  posts: page.pins.map((pin) => toPinWire(ctx, pin, page.account)),
  ...(page.counts && { counts: page.counts }),
});

export const toBulkWire = (created: CreatedBulk, ctx: Ctx<"pinterest">): BulkWire => ({
  message: TEXTS.bulkCreated,
  posts: created.pins.map((pin) => toPinWire(ctx, pin, created.account)),
  first_frames: created.firstFrames,
});

export const toPlannedEdit = ({ pin, after, problem }: EditPlan): PlannedEdit => {
  const fields = [
    ["board", pin.boardId, after.boardId],
    ["section", pin.boardSectionId ?? "", after.boardSectionId ?? ""],
    ["link", pin.link ?? "", after.link ?? ""],
    ["description", pin.description, after.description],
    ["alt_text", pin.altText, after.altText],
  ] as const;
  return {
    id: pin.id,
    title: pin.title,
    changes: fields.flatMap(([field, before, next]) => (before === next ? [] : [{ field, before, after: next }])),
    problem: problem?.text ?? null,
  };
};

export const toNextLink = (page: PinPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

export const toVideoWire = (ctx: Ctx, video: PinVideo): VideoWire => ({
  url: signedVideoUrl(ctx, video.videoKey),
  content_type: video.contentType,
  bytes: video.bytes,
  duration_ms: video.durationMs,
});

export const toSlideWire = (ctx: Ctx, slide: PinSlide, status: string, check: LinkCheck | null): SlideWire => ({
  image_url: pinImageUrl(ctx, { imageKey: slide.imageKey, status }),
  title: slide.title,
  description: slide.description,
  url: slide.link,
  link_warning: status === "published" ? null : warningOf(slide.link, check),
});

export const toAttemptWire = (ctx: Ctx<"pinterest">, attempt: Attempt): AttemptWire => ({
  number: attempt.number,
  state: attempt.state,
  outcome: attempt.outcome,
  armed_at: toIso(attempt.armedAt),
  called_at: toIsoOrNull(attempt.calledAt),
  answered_at: toIsoOrNull(attempt.answeredAt),
  settled_at: toIsoOrNull(attempt.settledAt),
  looks: attempt.boardChecks,
  http_status: attempt.httpStatus,
  problem: attempt.problemText,
  provider_message: attempt.providerMessage,
  note: attempt.note,
  pinterest_url: attempt.pinterestPinId ? ctx.pinterest.pinUrl(attempt.pinterestPinId) : null,
});
