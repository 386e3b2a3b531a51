import { describe, expect, test } from "vitest";
import { nextLook } from "#components/pins/next-look.ts";
import {
  appendPage,
  belongsTo,
  comparePosts,
  countNew,
  type Held,
  headLimit,
  keepTail,
  type Listed,
  mergePosts,
  nextPagePath,
  openedNow,
  postsPath,
  rangeOf,
} from "#components/pins/wall-list.ts";
import type { LiveRows } from "#lib/client/live-cache.ts";
import type { PostSort } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const FIRST_MS = Date.parse("2026-01-01T00:00:00.000Z");

/** The post with that number: the higher, the younger. */
const post = (number: number, more: Partial<PostWire> = {}): PostWire => ({
  id: `pin_${String(number).padStart(4, "0")}`,
  title: `Pin ${number}`,
  description: "",
  image_url: "/api/images/x.jpg",
  keyword: null,
  url: null,
  status: "draft",
  created_at: new Date(FIRST_MS + number * 1_000).toISOString(),
  scheduled_at: null,
  published_at: null,
  pinterest_url: null,
  account_id: "acc_1",
  board_id: "1",
  alt_text: "",
  reason: null,
  may_be_published: false,
  check_url: null,
  source: "manual",
  placeholder: null,
  review: null,
  template_id: null,
  link_state: null,
  link_warning: null,
  link_checking: false,
  ...more,
});

const held = (posts: readonly PostWire[], requestedAt = 0): Held[] => posts.map((one) => ({ post: one, requestedAt }));
const listed = (posts: readonly PostWire[], more: Partial<Listed> = {}): Listed => ({
  held: held(posts, more.requestedAt),
  requestedAt: 0,
  nextPath: null,
  counts: null,
  ...more,
});
const numbers = (posts: readonly PostWire[]) => posts.map(({ id }) => Number(id.slice(4)));
const shown = ({ held: all }: Listed) => numbers(all.map((one) => one.post));
const told = (...all: [PostWire | { id: string }, number][]): LiveRows<PostWire> =>
  new Map(all.map(([value, at]) => [value.id, { value: "title" in value ? value : null, at }]));
const downFrom = (from: number, count: number) => Array.from({ length: count }, (_, at) => post(from - at));

describe("the calls of a wall", () => {
  test("R-POST-03 a search, an order and a size are asked for only where there are some", () => {
    expect(postsPath("acc_1", { filter: "draft", q: "", sort: "newest" })).toBe(
      "/api/users/pinterest/generated-pins/acc_1/?status=draft&sort=newest",
    );
    expect(postsPath("acc_1", { q: "a&b =c" }, { ids: "pin_1,pin_2" })).toBe(
      "/api/users/pinterest/generated-pins/acc_1/?status=all&q=a%26b+%3Dc&ids=pin_1%2Cpin_2",
    );
  });

  test("a further page has the usual size and no counts, and keeps the cursor", () => {
    expect(nextPagePath("/posts/?status=all&q=x&limit=200&counts=true&cursor=k1.pin_1")).toBe(
      "/posts/?status=all&q=x&limit=60&cursor=k1.pin_1",
    );
    expect(nextPagePath(null)).toBeNull();
    expect([0, 60, 61, 500].map(headLimit)).toEqual([60, 60, 61, 200]);
  });
});

describe("a list that grows", () => {
  test("R-POST-06 a page that begins with posts which are there already brings each once", () => {
    const before = listed(downFrom(9, 3), { nextPath: "/a", counts: null });
    const grown = appendPage(before, listed([post(7), post(6)], { nextPath: "/b" }));
    expect(shown(grown)).toEqual([9, 8, 7, 6]);
    expect(grown.nextPath).toBe("/b");
  });

  test("a beginning that was read anew keeps what was behind it, in each order, without gap and without double", () => {
    const before = listed(downFrom(9, 9), { nextPath: "/far" });
    // Two came on top, one went: the new beginning ends earlier, and what follows its last is behind it.
    const head = listed([post(11), post(10), post(9), post(7)], { nextPath: "/near" });
    const kept = keepTail(head, before, "newest");
    expect(shown(kept)).toEqual([11, 10, 9, 7, 6, 5, 4, 3, 2, 1]);
    expect(kept.nextPath).toBe("/far");
    const up = keepTail(
      listed([post(1), post(2)], { nextPath: "/n" }),
      listed([1, 2, 3].map((n) => post(n))),
      "oldest",
    );
    expect(shown(up)).toEqual([1, 2, 3]);
    expect(up.nextPath).toBeNull();
  });

  test("a beginning that is the whole list is the list; so is one that reaches further than what was there", () => {
    expect(shown(keepTail(listed([post(2)]), listed(downFrom(9, 9)), "newest"))).toEqual([2]);
    const head = listed(downFrom(9, 5), { nextPath: "/n" });
    expect(keepTail(head, listed(downFrom(9, 3)), "newest")).toBe(head);
    expect(keepTail(head, null, "newest")).toBe(head);
  });
});

describe("the orders", () => {
  const sorted = (sort: PostSort, posts: PostWire[]) => numbers(posts.toSorted((a, b) => comparePosts(sort, a, b)));

  test("R-POST-03 are those of the documented call", () => {
    const at = (second: number) => ({
      status: "scheduled" as const,
      scheduled_at: new Date(FIRST_MS + second * 1_000).toISOString(),
    });
    const posts = [
      post(1, { title: "banana" }),
      post(2, { title: "Éclair", ...at(20) }),
      post(3, { title: "apple" }),
      post(4, { title: "Zucchini", ...at(10) }),
      post(5, { title: "Apple" }),
    ];
    expect(sorted("newest", posts)).toEqual([5, 4, 3, 2, 1]);
    expect(sorted("oldest", posts)).toEqual([1, 2, 3, 4, 5]);
    expect(sorted("due", posts)).toEqual([4, 2, 5, 3, 1]);
    expect(sorted("title", posts)).toEqual([3, 5, 1, 2, 4]);
    const twins = [post(2, { created_at: post(1).created_at }), post(1)];
    expect(sorted("newest", twins)).toEqual([2, 1]);
    expect(sorted("oldest", twins)).toEqual([1, 2]);
  });
});

describe("what the stream tells", () => {
  test("R-POST-11 takes its place among the posts, unless they were asked for later; what is gone goes", () => {
    const all = [...held([post(3), post(2)], 5), ...held([post(1)], 9)];
    const rows = told([post(3, { status: "published" }), 6], [{ id: post(2).id }, 7], [post(1, { title: "Old" }), 8]);
    const merged = mergePosts(all, rows);
    expect(merged.map(({ title, status }) => [title, status])).toEqual([
      ["Pin 3", "published"],
      ["Pin 1", "draft"],
    ]);
  });

  test("R-POST-04 counts as new what belongs among the shown posts, not what is on a page to come", () => {
    const belongs = () => true;
    const rows = told(
      [post(9), 3],
      [post(5), 4],
      [post(1, { status: "failed" }), 5],
      [post(12), 1],
      [{ id: "gone" }, 6],
    );
    const open = listed([post(8), post(7), post(5), post(4)], { requestedAt: 2, nextPath: "/n" });
    expect(countNew(open, rows, { belongs, sort: "newest" })).toBe(1);
    expect(countNew({ ...open, nextPath: null }, rows, { belongs, sort: "newest" })).toBe(2);
    expect(countNew(open, rows, { belongs: () => false, sort: "newest" })).toBe(0);
  });

  test("R-POST-03 belongs to a list by account, state and every word of the search", () => {
    const bread = post(1, { title: "Slow ÉCLAIRS", keyword: "Sunday baking" });
    const query = { filter: "all", q: "", sort: "newest" } as const;
    expect(belongsTo(bread, "acc_1", query)).toBe(true);
    expect(belongsTo(bread, "acc_2", query)).toBe(false);
    expect(belongsTo(bread, "acc_1", { ...query, filter: "failed" })).toBe(false);
    expect(belongsTo(bread, "acc_1", { ...query, q: "éclair  sun" })).toBe(true);
    expect(belongsTo(bread, "acc_1", { ...query, q: "éclair monday" })).toBe(false);
  });
});

describe("choosing up to a pin", () => {
  const posts = [post(1), post(2, { status: "published" }), post(3), post(4)];
  const [first, , third, fourth] = posts as [PostWire, PostWire, PostWire, PostWire];

  test("R-POST-05, A-35 takes the drafts between in the direction of the hand", () => {
    expect(numbers(rangeOf(posts, first.id, fourth))).toEqual([1, 3, 4]);
    expect(numbers(rangeOf(posts, fourth.id, first))).toEqual([4, 3, 1]);
    expect(numbers(rangeOf(posts, third.id, third))).toEqual([3]);
    expect(numbers(rangeOf(posts, null, third))).toEqual([3]);
    expect(numbers(rangeOf(posts, "pin_gone", third))).toEqual([3]);
  });
});

describe("looking again", () => {
  const due = (number: number, inSeconds: number) =>
    post(number, { status: "scheduled", scheduled_at: new Date(FIRST_MS + inSeconds * 1_000).toISOString() });
  const look = (...posts: PostWire[]) => {
    const found = nextLook(posts, FIRST_MS);
    return found && { ids: found.ids.map((id) => Number(id.slice(4))), seconds: found.inMs / 1_000 };
  };

  test("R-POST-11 every three seconds around a pin's time, only for pins whose time it is, slowly for one held up", () => {
    expect(look(post(1), post(2, { status: "published" }))).toBeNull();
    expect(look(due(1, 5), due(2, 3_600))).toEqual({ ids: [1], seconds: 3 });
    expect(look(due(1, 5), due(2, -60), due(3, 14))).toEqual({ ids: [1, 2, 3], seconds: 3 });
    expect(look(due(1, 75))).toEqual({ ids: [1], seconds: 60 });
    expect(look(due(1, -600))).toEqual({ ids: [1], seconds: 30 });
    expect(look(due(1, 86_400))).toEqual({ ids: [1], seconds: 900 });
    expect(look(...Array.from({ length: 300 }, (_, n) => due(n, 1)))?.ids).toHaveLength(200);
  });
});

describe("R-POST-07 the pin whose details are open", () => {
  const none: LiveRows<PostWire> = new Map();
  const opened = post(3);
  const shown = [post(9), post(8)];

  test("is shown as the list has it, and goes with the list", () => {
    const newer = post(3, { title: "Another title" });
    const list = { hasMore: false, sort: "newest", rows: none } as const;
    expect(openedNow(opened, { ...list, posts: [...shown, newer] })).toBe(newer);
    expect(openedNow(opened, { ...list, posts: shown })).toBeNull();
  });

  test("stays while the list cannot tell: it failed, or ends before this pin", () => {
    const list = { hasMore: true, sort: "newest", rows: none } as const;
    expect(openedNow(opened, { ...list, posts: null })).toBe(opened);
    expect(openedNow(opened, { ...list, posts: shown })).toBe(opened);
    expect(openedNow(post(10), { ...list, posts: shown })).toBeNull();
  });

  test("is as the stream told last where the list cannot tell, also when it is gone", () => {
    const list = { posts: null, hasMore: false, sort: "newest" } as const;
    const published = post(3, { status: "published" });
    expect(openedNow(opened, { ...list, rows: new Map([[opened.id, { value: published, at: 1 }]]) })).toBe(published);
    expect(openedNow(opened, { ...list, rows: new Map([[opened.id, { value: null, at: 1 }]]) })).toBeNull();
  });
});
