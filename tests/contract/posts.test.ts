import { describe, expect, test } from "vitest";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { errorBody, ISO, makerWithDrafts, type Post, postsOf, postsPath } from "./posts-house.ts";

const ABSENT_ACCOUNT = `acc_${"0".repeat(26)}`;

describe("GET /api/users/pinterest/generated-pins/{accountId}/", () => {
  test("R-API-12 R-POST-03 R-ENT-10 {posts} in exactly this shape, with and without the slash", async () => {
    const maker = await makerWithDrafts("moss garden");
    for (const path of [postsPath(maker.accountId), postsPath(maker.accountId).slice(0, -1)]) {
      const { status, json, headers } = await maker.user.call(path);
      expect(status).toBe(200);
      expect(headers.get("link")).toBeNull();
      expect(json).toEqual({
        posts: [
          {
            id: expect.stringMatching(/^pin_[0-9a-z]{26}$/),
            title: expect.stringMatching(/^.{1,100}$/),
            description: expect.any(String),
            image_url: expect.stringMatching(/^\/api\/images\//),
            keyword: "moss garden",
            url: "https://garden.example/moss",
            status: "draft",
            created_at: ISO,
            scheduled_at: null,
            published_at: null,
            pinterest_url: null,
            account_id: maker.accountId,
            board_id: maker.boardId,
            alt_text: expect.any(String),
            reason: null,
            may_be_published: false,
            check_url: null,
            source: "ai",
            placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
            review: null,
            template_id: null,
            // The link is looked at meanwhile.
            link_state: expect.any(String),
            link_warning: expect.toBeOneOf([null, expect.any(String)]),
            link_checking: expect.any(Boolean),
          },
        ],
      });
    }
  });

  test("R-POST-03 an account without posts has an empty list, under each of the five words", async () => {
    const maker = await makerWithDrafts();
    for (const status of ["all", "published", "scheduled", "draft", "failed"]) {
      expect((await maker.user.call(postsPath(maker.accountId, `?status=${status}`))).json).toEqual({ posts: [] });
    }
  });

  test("another word, a limit or a cursor that is none: 400", async () => {
    const maker = await makerWithDrafts();
    for (const query of ["?status=pending", "?status=", "?limit=0", "?limit=x", "?cursor=%27%20or%201", "?cursor="]) {
      const answer = await maker.user.call(postsPath(maker.accountId, query));
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.json).toMatchObject(errorBody("invalid"));
    }
  });

  test("with a limit the next page stands in a Link header", async () => {
    const maker = await makerWithDrafts("moss", "fern", "ivy");
    const all = (await postsOf(maker)).map(({ id }) => id);
    const first = await maker.user.call(postsPath(maker.accountId, "?status=draft&limit=2"));
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
    if (next === undefined) throw new Error("No next page is named.");
    const second = await maker.user.call(next);
    const ids = [first, second].flatMap(({ json }) => Object(json).posts.map(({ id }: Post) => id));
    expect(ids).toEqual(all);
    expect(second.headers.get("link")).toBeNull();
  });

  test("words, an order and counts may be asked for; the next page keeps the question", async () => {
    const maker = await makerWithDrafts("moss garden", "fern garden", "ivy wall");
    const first = await maker.user.call(postsPath(maker.accountId, "?q=garden%20&sort=title&limit=1&counts=true"));
    expect(first.json).toMatchObject({ counts: { all: 2, draft: 2, scheduled: 0, published: 0, failed: 0 } });
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await maker.user.call(next);
    const pages = [first, second].map(({ json }): Post[] => Object(json).posts);
    expect(
      pages
        .flat()
        .map(({ keyword }) => keyword)
        .sort(),
    ).toEqual(["fern garden", "moss garden"]);
    expect(second.headers.get("link")).toBeNull();
    const literal = await maker.user.call(postsPath(maker.accountId, "?q=%25%5F%5C%00"));
    expect(literal.json).toEqual({ posts: [] });
    for (const query of [
      "?sort=cheapest",
      `?q=${"a".repeat(4_000)}`,
      "?counts=maybe",
      "?sort=title&cursor=t.pin_1.%2500",
      "?ids=",
      `?ids=${Array.from({ length: 201 }, (_, n) => `pin_${n}`).join(",")}`,
    ]) {
      const answer = await maker.user.call(postsPath(maker.accountId, query));
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.json).toMatchObject(errorBody("invalid"));
    }
  });

  test("R-POST-03, A-91 single posts by their ids, only the account's own", async () => {
    const [maker, stranger] = [await makerWithDrafts("moss garden", "fern garden"), await makerWithDrafts("ivy wall")];
    const [[first], [foreign]] = [await postsOf(maker), await postsOf(stranger)];
    const ids = [first?.id, foreign?.id, `pin_${"0".repeat(26)}`, "'"].join(",");
    expect(await postsOf(maker, `?ids=${encodeURIComponent(ids)}`)).toEqual([first]);
    expect(await postsOf(maker, `?status=published&ids=${first?.id}`)).toEqual([]);
  });

  test("R-API-30 401 without a token; R-API-31 404 for what is not the caller's", async () => {
    const maker = await makerWithDrafts("moss");
    const stranger = await signUp();
    expect((await callApp(postsPath(maker.accountId))).status).toBe(401);
    for (const accountId of [maker.accountId, ABSENT_ACCOUNT, "nonsense", "' or 1=1 --"]) {
      const answer = await stranger.call(postsPath(accountId));
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual(errorBody("not_found"));
    }
  });
});
