import "server-only";
import type { Ctx } from "#lib/context.ts";
import { nextLink } from "#lib/core/paging.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { warningOf } from "#lib/features/links/policy.ts";
import type { CreatedBulk } from "./bulk-create.ts";
import { IMAGE_PATH, TEXTS } from "./constants.ts";
import type { EditPlan } from "./edits.ts";
import type { PostPage } from "./library.ts";
import { templateIdOf } from "./policy.ts";
import type { Attempt, Post, ShownAccount } from "./queries.ts";
import type { AttemptWire, BulkWire, PlannedEdit, PostsWire, PostWire } from "./schema.ts";

/** Why a pin waits: as it was found out at its time, else what is known of its account before (R-SRV-05). */
const reasonOf = ({ status, reason }: Post, account: ShownAccount): string | null =>
  reason ?? (status === "scheduled" && account.status === "reconnect_needed" ? TEXTS.waitsForAccount : null);

/** R-ENT-10 with its extras. */
export const toPost = (ctx: Ctx<"pinterest">, pin: Post, account: ShownAccount): PostWire => ({
  id: pin.id,
  title: pin.title,
  description: pin.description,
  image_url: `${IMAGE_PATH}${pin.imageKey}`,
  keyword: pin.keyword,
  url: pin.link,
  status: pin.status,
  created_at: toIso(pin.createdAt),
  scheduled_at: toIsoOrNull(pin.scheduledAt),
  published_at: toIsoOrNull(pin.publishedAt),
  pinterest_url: pin.pinterestPinId ? ctx.pinterest.pinUrl(pin.pinterestPinId) : null,
  account_id: pin.accountId,
  board_id: pin.boardId,
  alt_text: pin.altText,
  reason: reasonOf(pin, account),
  may_be_published: pin.mayBePublished,
  check_url: pin.mayBePublished ? ctx.pinterest.profileUrl(account.username) : null,
  source: pin.source,
  placeholder: pin.placeholder,
  review: pin.review,
  template_id: templateIdOf(pin.template),
  link_state: pin.linkCheck?.state ?? null,
  link_warning: warningOf(pin.link, pin.linkCheck),
  link_checking: pin.linkCheck?.isBeingChecked ?? false,
});

/** R-API-12: `{"posts": […]}`. */
export const toPosts = (page: PostPage, ctx: Ctx<"pinterest">): PostsWire => ({
  posts: page.pins.map((pin) => toPost(ctx, pin, page.account)),
  ...(page.counts && { counts: page.counts }),
});

/** R-API-09, R-BULK-09. */
export const toBulk = (created: CreatedBulk, ctx: Ctx<"pinterest">): BulkWire => ({
  message: TEXTS.bulkCreated,
  posts: created.pins.map((pin) => toPost(ctx, pin, created.account)),
  first_frames: created.firstFrames,
});

/** What a change of several pins would do to one of them; boards by their ids. */
export const toPlannedEdit = ({ pin, after, problem }: EditPlan): PlannedEdit => {
  const texts = [
    ["board", pin.boardId, after.boardId],
    ["link", pin.link ?? "", after.link ?? ""],
    ["description", pin.description, after.description],
  ] as const;
  return {
    id: pin.id,
    title: pin.title,
    changes: texts.flatMap(([field, before, now]) => (before === now ? [] : [{ field, before, after: now }])),
    problem: problem?.text ?? null,
  };
};

/** The `Link` header that leads to the next page, if there is one (DESIGN §7). */
export const toNextLink = (page: PostPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

/** One line of a receipt. */
export const toAttempt = (ctx: Ctx<"pinterest">, attempt: Attempt): AttemptWire => ({
  number: attempt.number,
  state: attempt.state,
  outcome: attempt.outcome,
  armed_at: toIso(attempt.armedAt),
  called_at: toIsoOrNull(attempt.calledAt),
  answered_at: toIsoOrNull(attempt.answeredAt),
  settled_at: toIsoOrNull(attempt.settledAt),
  looks: attempt.looks,
  http_status: attempt.httpStatus,
  problem: attempt.problemText,
  provider_message: attempt.providerMessage,
  note: attempt.note,
  pinterest_url: attempt.pinterestPinId ? ctx.pinterest.pinUrl(attempt.pinterestPinId) : null,
});
