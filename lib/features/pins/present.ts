import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { IMAGE_PATH } from "./constants.ts";
import type { PostPage } from "./list-posts.ts";
import type { Attempt, Post } from "./queries.ts";
import type { AttemptWire, PostsWire, PostWire } from "./schema.ts";

/** R-ENT-10 with its extras. */
export const toPost = (ctx: Ctx<"pinterest">, pin: Post, username: string): PostWire => ({
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
  reason: pin.reason,
  may_be_published: pin.mayBePublished,
  check_url: pin.mayBePublished ? ctx.pinterest.profileUrl(username) : null,
});

/** R-API-12: `{"posts": […]}`. */
export const toPosts = (page: PostPage, ctx: Ctx<"pinterest">): PostsWire => ({
  posts: page.pins.map((pin) => toPost(ctx, pin, page.username)),
});

/** The `Link` header that leads to the next page, if there is one (DESIGN §7). */
export const toNextLink = (page: PostPage, request: Request): Record<string, string> => {
  if (!page.nextCursor) return {};
  const url = new URL(request.url);
  url.searchParams.set("cursor", page.nextCursor);
  return { link: `<${url.pathname}${url.search}>; rel="next"` };
};

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
