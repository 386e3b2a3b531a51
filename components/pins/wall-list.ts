import type { LiveRows } from "#lib/client/live-cache.ts";
import { SEARCH_MAX, searchWords } from "#lib/core/text.ts";
import {
  PAGE_MAX,
  POST_FILTERS,
  POST_SORTS,
  type PostFilter,
  type PostSort,
  WALL_PAGE,
} from "#lib/features/pins/constants.ts";
import type { PostCounts, PostWire } from "#lib/features/pins/schema.ts";

/** Which posts of an account are asked for, and in what order. */
export interface WallQuery {
  filter: PostFilter;
  /** Words in title or keyword; the empty text asks for all. */
  q: string;
  sort: PostSort;
}

/** The query of an address, name by name, as a page gets it. */
export type WallAddress = Partial<Record<"account" | "status" | "q" | "sort", string | string[]>>;

/** What an address asks for; whatever it cannot ask for is as it goes without saying. */
export const readWallQuery = ({ status, q, sort }: WallAddress): WallQuery => ({
  filter: POST_FILTERS.find((word) => word === status) ?? "all",
  q: typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "",
  sort: POST_SORTS.find((word) => word === sort) ?? "newest",
});

/** A post, and where the live stream stood when it was asked for. */
export interface Held {
  post: PostWire;
  requestedAt: number;
}

/** The posts of a list from its beginning, as far as they were asked for. */
export interface Listed {
  held: readonly Held[];
  /** Where the live stream stood when its beginning was asked for. */
  requestedAt: number;
  /** The call that answers the posts after these; null when there are none. */
  nextPath: string | null;
  /** In each state, of what the search finds; null where they were not asked for. */
  counts: PostCounts | null;
}

/** Path of the documented call for an account's posts (R-POST-03). */
export const postsPath = (accountId: string, query: Partial<WallQuery>, more: Record<string, string> = {}): string => {
  const { filter = "all", q, sort } = query;
  const search = new URLSearchParams({ status: filter, ...(q && { q }), ...(sort && { sort }), ...more });
  return `/api/users/pinterest/generated-pins/${encodeURIComponent(accountId)}/?${search}`;
};

/** The call for the next page as a wall asks for it, whatever size the page before it had. */
export const nextPagePath = (path: string | null): string | null => {
  if (path === null) return null;
  const [address = "", query] = path.split("?");
  const search = new URLSearchParams(query);
  search.set("limit", String(WALL_PAGE));
  search.delete("counts");
  return `${address}?${search}`;
};

/** How many posts one call is asked for, to have as many as there were before. */
export const headLimit = (wanted: number): number => Math.min(PAGE_MAX, Math.max(WALL_PAGE, wanted));

/** The posts of a page behind those before it; one that is there already stays where it is. */
export const appendPage = (before: Listed, page: Listed): Listed => {
  const ids = new Set(before.held.map(({ post }) => post.id));
  const added = page.held.filter(({ post }) => !ids.has(post.id));
  return { ...before, held: [...before.held, ...added], nextPath: page.nextPath };
};

type Order = (a: PostWire, b: PostWire) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const TITLES = new Intl.Collator("und");
const oldest: Order = (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || byText(a.id, b.id);
const newest: Order = (a, b) => oldest(b, a);
const dueAt = ({ status, scheduled_at }: PostWire): number =>
  status === "scheduled" && scheduled_at ? Date.parse(scheduled_at) : Number.POSITIVE_INFINITY;

/** The orders of the documented call, for posts that are at hand. */
const ORDERS: Record<PostSort, Order> = {
  newest,
  oldest,
  due: (a, b) => {
    const [first, second] = [dueAt(a), dueAt(b)];
    if (first === second) return first === Number.POSITIVE_INFINITY ? newest(a, b) : byText(a.id, b.id);
    return first - second;
  },
  title: (a, b) => TITLES.compare(a.title, b.title) || byText(a.id, b.id),
};

/** Which of two posts comes first in an order: below zero for the first of them. */
export const comparePosts = (sort: PostSort, a: PostWire, b: PostWire): number => ORDERS[sort](a, b);

/** A list that was read anew from its beginning, with what was known behind it: nothing shrinks under who reads there. */
export const keepTail = (head: Listed, before: Listed | null, sort: PostSort): Listed => {
  const last = head.held.at(-1)?.post;
  if (!before || !last || head.nextPath === null) return head;
  const ids = new Set(head.held.map(({ post }) => post.id));
  const tail = before.held.filter(({ post }) => !ids.has(post.id) && comparePosts(sort, post, last) > 0);
  return tail.length === 0 ? head : { ...head, held: [...head.held, ...tail], nextPath: before.nextPath };
};

/** Whether a post belongs to a list, as far as that can be told without asking. */
export const belongsTo = (post: PostWire, accountId: string | null, { filter, q }: WallQuery): boolean => {
  if (post.account_id !== accountId || (filter !== "all" && post.status !== filter)) return false;
  const text = `${post.title} ${post.keyword ?? ""}`.normalize("NFC").toLowerCase();
  return searchWords(q).every((word) => text.includes(word));
};

/**
 * A post that is looked at, as it was last known; null once it left the list. While the list cannot tell, since it
 * failed (null) or ends before this post, it stays: what somebody types beside it must not go.
 */
export const openedNow = (
  opened: PostWire,
  list: { posts: readonly PostWire[] | null; hasMore: boolean; sort: PostSort; rows: LiveRows<PostWire> },
): PostWire | null => {
  const { posts, hasMore, sort, rows } = list;
  const shown = posts?.find(({ id }) => id === opened.id);
  if (shown) return shown;
  const last = posts?.at(-1);
  const isBehind = hasMore && last !== undefined && comparePosts(sort, opened, last) > 0;
  if (posts !== null && !isBehind) return null;
  const news = rows.get(opened.id);
  return news ? news.value : opened;
};

/**
 * Posts as the live stream has told of them since. Each stays where it is, also when its new state belongs to another
 * list: nothing moves under the user's hand until the posts are asked for again.
 */
export const mergePosts = (held: readonly Held[], rows: LiveRows<PostWire>): PostWire[] =>
  held.flatMap(({ post, requestedAt }) => {
    const row = rows.get(post.id);
    if (!row || row.at <= requestedAt) return [post];
    return row.value ? [row.value] : [];
  });

/** How many posts the stream has told of that belong among those which are shown, and are not there. */
export const countNew = (
  { held, nextPath, requestedAt }: Listed,
  rows: LiveRows<PostWire>,
  { belongs, sort }: { belongs: (post: PostWire) => boolean; sort: PostSort },
): number => {
  const shown = new Set(held.map(({ post }) => post.id));
  const last = held.at(-1)?.post;
  // Whatever comes after the last post is on a page that is still to be asked for.
  const isWithin = (post: PostWire) => nextPath === null || !last || comparePosts(sort, post, last) < 0;
  return [...rows.values()].filter(
    ({ at, value }) => at > requestedAt && value && !shown.has(value.id) && belongs(value) && isWithin(value),
  ).length;
};

/** The drafts from one post of a list to another, in the direction of the hand; only the other when one is not there. */
export const rangeOf = (posts: readonly PostWire[], fromId: string | null, to: PostWire): PostWire[] => {
  const [from, until] = [posts.findIndex(({ id }) => id === fromId), posts.findIndex(({ id }) => id === to.id)];
  if (from < 0 || until < 0) return [to];
  const between = posts.slice(Math.min(from, until), Math.max(from, until) + 1);
  return (from <= until ? between : between.toReversed()).filter(({ status }) => status === "draft");
};
