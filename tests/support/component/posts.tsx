import { expect } from "vitest";
import { PostsScreen } from "#components/pins/posts-screen.tsx";
import { readWallQuery } from "#components/pins/wall-list.ts";
import type { PostCounts, PostsWire, PostWire } from "#lib/features/pins/schema.ts";
import type { PreviewWire } from "#lib/features/publishing/schema.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";
import { postWire } from "./wires.ts";

/** The call that lists an account's posts. */
export const POSTS = "GET /api/users/pinterest/generated-pins/*/";
/** The call that lists an account's boards. */
export const BOARDS = "GET /api/users/pinterest/boards/*/";
/** The call that schedules drafts. */
export const SCHEDULE = "POST /api/users/pinterest/batch-publish-pins/";

const ZONE = "Asia/Kathmandu";

/** What a server action answers. */
export const done = (value: unknown = null) => ({ ok: true, value });

/** Drafts with these titles, the newest first. */
export const draftsOf = (...titles: string[]): PostWire[] =>
  titles.map((title, at) =>
    postWire({ id: `pin_${at + 1}`, title, created_at: new Date(Date.UTC(2026, 2, 1) - at * 60_000).toISOString() }),
  );

/** Drafts called Draft 1, Draft 2 and so on. */
export const manyDrafts = (count: number): PostWire[] =>
  draftsOf(...Array.from({ length: count }, (_, at) => `Draft ${at + 1}`));

const found = (posts: readonly PostWire[], q: string): PostWire[] =>
  posts.filter(({ title, keyword }) => `${title} ${keyword}`.toLowerCase().includes(q.toLowerCase()));

const countAll = (posts: readonly PostWire[]): PostCounts => {
  const counts: PostCounts = { all: posts.length, draft: 0, scheduled: 0, published: 0, failed: 0 };
  for (const { status } of posts) counts[status] += 1;
  return counts;
};

/** Answers a page of posts as the documented call does: status, search, ids, limit and cursor. */
export const listOf = (posts: readonly PostWire[], query: URLSearchParams): Response => {
  const hits = found(posts, query.get("q") ?? "");
  const status = query.get("status") ?? "all";
  const ids = query.get("ids")?.split(",");
  const wanted = hits.filter(
    (post) => (status === "all" || post.status === status) && (ids?.includes(post.id) ?? true),
  );
  const from = Number(query.get("cursor") ?? 0);
  const limit = Number(query.get("limit") ?? wanted.length);
  const body: PostsWire = { posts: wanted.slice(from, from + limit) };
  if (query.get("counts") === "true") body.counts = countAll(hits);
  const next = new URLSearchParams(query);
  next.set("cursor", String(from + limit));
  const link = `</api/users/pinterest/generated-pins/account_1/?${next}>; rel="next"`;
  return Response.json(body, from + limit < wanted.length ? { headers: { link } } : undefined);
};

/** What the server says of a plan against which nothing speaks. */
export const freeOf = (call: RecordedCall): { ok: true; value: PreviewWire } => {
  const [{ post_ids: ids }] = call.body as [{ post_ids: string[] }];
  const at = new Date().toISOString();
  const slots = ids.map((post_id) => ({ post_id, due_at: at, clash: null, twin: null }));
  return { ok: true, value: { start: at, slots, free_start: null } };
};

type PostsOptions = { query?: string; answers?: Answers; isPainted?: boolean; timeZone?: string };

/** Renders Generated Posts with these posts; changing the array changes what the list's call answers. */
export const openPosts = async (
  posts: PostWire[],
  { query = "", answers = {}, isPainted = false, timeZone = ZONE }: PostsOptions = {},
) => {
  const asked = readWallQuery(Object.fromEntries(new URLSearchParams(query)));
  const painted = isPainted ? { posts: [...posts], counts: countAll(posts) } : null;
  const shown = await renderScreen(
    <PostsScreen
      accounts={[
        { id: "account_1", username: "fern" },
        { id: "account_2", username: "moss" },
      ]}
      first={{ accountId: "account_1", query: asked, posts: painted }}
      timeZone={timeZone}
      creatorPath="/app/evertack-creator"
    />,
    {
      path: `/app/generated-posts${query && `?${query}`}`,
      answers: {
        [POSTS]: (call) => listOf(posts, call.query),
        [BOARDS]: {
          items: ["Cabins", "Desserts", "Walks"].map((name, at) => ({
            id: String(101 + at),
            name,
            description: "",
            privacy: "PUBLIC",
          })),
        },
        "ACTION previewScheduleAction": freeOf,
        "ACTION readRemakeAction": done(),
        ...answers,
      },
    },
  );
  const { screen } = shown;
  const button = (name: string | RegExp) => screen.getByRole("button", { name, exact: true });
  await expect.poll(() => screen.container.querySelector("[role=tabpanel]")?.getAttribute("aria-busy")).toBe("false");
  return {
    ...shown,
    button,
    /** The checkbox of a draft. */
    pick: (title: string) => screen.getByRole("checkbox", { name: new RegExp(`^Select ${title}(,|$)`) }),
    tab: (word: string) => screen.getByRole("tab", { name: new RegExp(`^${word}`) }),
    search: screen.getByRole("searchbox", { name: "Search pins" }),
    titles: () => [...screen.container.querySelectorAll("[data-slot=post] .slip-title")].map((one) => one.textContent),
    bar: screen.getByRole("region", { name: "Schedule the selected pins" }),
    tools: screen.getByRole("region", { name: "Change the selected pins" }),
    notice: screen.getByTestId("notice"),
    openDetails: async (title: string) => {
      await button(`Pin Details: ${title}`).click();
      const details = screen.getByRole("dialog", { name: "Pin Details" });
      await expect.element(details).toBeVisible();
      return details;
    },
  };
};
