import { describe, expect, test } from "vitest";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { creatorWithDrafts, errorBody, ISO, type PinJson, pinsOf, pinsPath } from "./pins-harness.ts";

const ABSENT_ACCOUNT = `acc_${"0".repeat(26)}`;

describe("GET /api/users/pinterest/generated-pins/{accountId}/", () => {
  test("R-API-12 R-POST-03 R-ENT-10 returns {posts} in exactly this shape, with and without the trailing slash", async () => {
    const creator = await creatorWithDrafts("moss garden");
    for (const path of [pinsPath(creator.accountId), pinsPath(creator.accountId).slice(0, -1)]) {
      const { status, json, headers } = await creator.user.call(path);
      expect(status).toBe(200);
      expect(headers.get("link")).toBeNull();
      expect(json).toEqual({
        posts: [
          {
            id: expect.stringMatching(/^pin_[0-9a-z]{26}$/),
            title: expect.stringMatching(/^.{1,100}$/),
            description: expect.any(String),
            image_url: expect.stringMatching(/^\/api\/images\//),
            format: "image",
            keyword: "moss garden",
            url: "https://garden.example/moss",
            status: "draft",
            created_at: ISO,
            scheduled_at: null,
            published_at: null,
            pinterest_url: null,
            account_id: creator.accountId,
            board_id: creator.boardId,
            board_section_id: null,
            alt_text: expect.any(String),
            reason: null,
            may_be_published: false,
            check_url: null,
            source: "ai",
            placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
            review: null,
            template_id: null,
            // A link check may be running.
            link_state: expect.any(String),
            link_warning: expect.toBeOneOf([null, expect.any(String)]),
            link_checking: expect.any(Boolean),
            from_page: true,
          },
        ],
      });
    }
  });

  test("R-POST-03 returns an empty list for an account without pins, with each filter", async () => {
    const creator = await creatorWithDrafts();
    for (const status of ["all", "published", "scheduled", "draft", "failed"]) {
      expect((await creator.user.call(pinsPath(creator.accountId, `?status=${status}`))).json).toEqual({ posts: [] });
    }
  });

  test("rejects an unknown filter, limit or cursor with 400", async () => {
    const creator = await creatorWithDrafts();
    for (const query of ["?status=pending", "?status=", "?limit=0", "?limit=x", "?cursor=%27%20or%201", "?cursor="]) {
      const answer = await creator.user.call(pinsPath(creator.accountId, query));
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.json).toMatchObject(errorBody("invalid"));
    }
  });

  test("sends the next page in a Link header", async () => {
    const creator = await creatorWithDrafts("moss", "fern", "ivy");
    const all = (await pinsOf(creator)).map(({ id }) => id);
    const first = await creator.user.call(pinsPath(creator.accountId, "?status=draft&limit=2"));
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
    if (next === undefined) throw new Error("No next page is named.");
    const second = await creator.user.call(next);
    const ids = [first, second].flatMap(({ json }) => Object(json).posts.map(({ id }: PinJson) => id));
    expect(ids).toEqual(all);
    expect(second.headers.get("link")).toBeNull();
  });

  test("supports search, sort order and counts, and keeps them for the next page", async () => {
    const creator = await creatorWithDrafts("moss garden", "fern garden", "ivy wall");
    const first = await creator.user.call(pinsPath(creator.accountId, "?q=garden%20&sort=title&limit=1&counts=true"));
    expect(first.json).toMatchObject({ counts: { all: 2, draft: 2, scheduled: 0, published: 0, failed: 0 } });
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await creator.user.call(next);
    const pages = [first, second].map(({ json }): PinJson[] => Object(json).posts);
    expect(
      pages
        .flat()
        .map(({ keyword }) => keyword)
        .sort(),
    ).toEqual(["fern garden", "moss garden"]);
    expect(second.headers.get("link")).toBeNull();
    const literal = await creator.user.call(pinsPath(creator.accountId, "?q=%25%5F%5C%00"));
    expect(literal.json).toEqual({ posts: [] });
    for (const query of [
      "?sort=cheapest",
      `?q=${"a".repeat(4_000)}`,
      "?counts=maybe",
      "?sort=title&cursor=t.pin_1.%2500",
      "?ids=",
      `?ids=${Array.from({ length: 201 }, (_, n) => `pin_${n}`).join(",")}`,
    ]) {
      const answer = await creator.user.call(pinsPath(creator.accountId, query));
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.json).toMatchObject(errorBody("invalid"));
    }
  });

  test("R-POST-03, A-91 returns pins by id, only those of the account", async () => {
    const [creator, stranger] = [
      await creatorWithDrafts("moss garden", "fern garden"),
      await creatorWithDrafts("ivy wall"),
    ];
    const [[first], [foreign]] = [await pinsOf(creator), await pinsOf(stranger)];
    const ids = [first?.id, foreign?.id, `pin_${"0".repeat(26)}`, "'"].join(",");
    expect(await pinsOf(creator, `?ids=${encodeURIComponent(ids)}`)).toEqual([first]);
    expect(await pinsOf(creator, `?status=published&ids=${first?.id}`)).toEqual([]);
  });

  test("R-API-30 401 without a token; R-API-31 404 for another user's account", async () => {
    const creator = await creatorWithDrafts("moss");
    const stranger = await signUp();
    expect((await callApp(pinsPath(creator.accountId))).status).toBe(401);
    for (const accountId of [creator.accountId, ABSENT_ACCOUNT, "nonsense", "' or 1=1 --"]) {
      const answer = await stranger.call(pinsPath(accountId));
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual(errorBody("not_found"));
    }
  });
});
