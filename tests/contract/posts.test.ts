import { describe, expect, test } from "vitest";
import { type ContractUser, callApp, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";

const BATCH = "/api/users/pinterest/batch-publish-pins/";
const ABSENT_ACCOUNT = `acc_${"0".repeat(26)}`;
const ABSENT_PIN = `pin_${"0".repeat(26)}`;
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const postsPath = (accountId: string, query = "") =>
  `/api/users/pinterest/generated-pins/${encodeURIComponent(accountId)}/${query}`;

const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});

interface Post {
  id: string;
  status: string;
  keyword: string;
  pinterest_url: string | null;
}

interface Maker {
  user: ContractUser;
  accountId: string;
  boardId: string;
}

const postsOf = async ({ user, accountId }: Maker, query = ""): Promise<Post[]> =>
  Object((await user.call(postsPath(accountId, query))).json).posts;

/** A user with a connected account and drafts from these keywords, made by the product itself. */
const makerWithDrafts = async (...keywords: string[]): Promise<Maker> => {
  const user = await signUp();
  const { id: accountId } = await connectOverHttp(user);
  const boards = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json).items;
  const boardId: string = boards.find(({ privacy }: { privacy: string }) => privacy === "PUBLIC").id;
  const maker = { user, accountId, boardId };
  if (keywords.length === 0) return maker;
  const keyword_data = keywords.map((keyword) => ({ keyword, url: "https://garden.example/moss" }));
  const body = { pinterest_account: accountId, board_id: boardId, quality: "standard", keyword_data };
  await user.call("/api/users/pinterest/generate-pins/", { method: "POST", body });
  const made = async () => (await postsOf(maker)).length === keywords.length;
  await until(made, { deadlineMs: 25_000, what: "the drafts" });
  return maker;
};

const schedule = ({ user }: Maker, post_ids: unknown, interval_minutes: unknown = 60, path = BATCH) =>
  user.call(path, { method: "POST", body: { post_ids, interval_minutes } });

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

describe("POST /api/users/pinterest/batch-publish-pins/", () => {
  test("R-API-13 R-SCH-06 R-SCH-09 R-ENT-11 A-37 exactly last_publish; the first one is published once", async () => {
    const maker = await makerWithDrafts("moss", "fern");
    const [newest, oldest] = await postsOf(maker);
    const { status, json } = await schedule(maker, [oldest?.id, newest?.id], 30);
    expect(status).toBe(200);
    expect(json).toEqual({ last_publish: ISO });
    const published = await until(async () => (await postsOf(maker, "?status=published"))[0], {
      what: "the first pin",
    });
    expect(published.id).toBe(oldest?.id);
    expect((await fetch(published.pinterest_url ?? "")).status).toBe(200);
    const [waiting] = await postsOf(maker, "?status=scheduled");
    expect(waiting).toMatchObject({ id: newest?.id, scheduled_at: Object(json).last_publish });
  });

  test("the path works without its slash; unknown fields are ignored", async () => {
    const maker = await makerWithDrafts("moss");
    const [post] = await postsOf(maker);
    const body = { post_ids: [post?.id], interval_minutes: 60, user_id: "usr_x", status: "published" };
    expect((await maker.user.call(BATCH.slice(0, -1), { method: "POST", body })).status).toBe(200);
  });

  test("R-API-30 401 without a token", async () => {
    const answer = await callApp(BATCH, { method: "POST", body: { post_ids: [ABSENT_PIN], interval_minutes: 60 } });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorBody("unauthenticated"));
  });

  test("R-SCH-04 R-SCH-05 A-36 bad input: 400, and nothing changes", async () => {
    const maker = await makerWithDrafts("moss");
    const [post] = await postsOf(maker);
    const id = post?.id;
    for (const ids of [
      [],
      "x",
      null,
      [1],
      [id, id],
      [""],
      Array.from({ length: 501 }, (_, k) => `pin_${k}`),
      undefined,
    ]) {
      expect((await schedule(maker, ids)).status).toBe(400);
    }
    expect((await schedule(maker, [])).json).toMatchObject(
      errorBody("invalid", "Please select at least one post to publish"),
    );
    for (const minutes of [0, -1, 1.5, 43_201, "60", null, 1e12]) {
      expect((await schedule(maker, [id], minutes)).status).toBe(400);
    }
    for (const body of ["", "{", "[]", "null", '"text"']) {
      expect((await maker.user.call(BATCH, { method: "POST", body })).status).toBe(400);
    }
    expect(await postsOf(maker)).toMatchObject([{ id, status: "draft" }]);
  });

  test("R-SCH-10 R-API-31 another user's pin or an absent one: 404; one's own but no draft: 409; nothing changes", async () => {
    const [maker, stranger] = [await makerWithDrafts("moss", "fern"), await makerWithDrafts("ivy")];
    const [first, second] = await postsOf(maker);
    const [foreign] = await postsOf(stranger);
    for (const id of [foreign?.id, ABSENT_PIN, "'; drop table pins; --"]) {
      const answer = await schedule(maker, [first?.id, id]);
      expect([answer.status, answer.json]).toEqual([404, errorBody("not_found")]);
    }
    expect((await schedule(maker, [second?.id])).status).toBe(200);
    const answer = await schedule(maker, [first?.id, second?.id]);
    expect([answer.status, answer.json]).toEqual([409, errorBody("wrong_state", "Only drafts can be scheduled.")]);
    expect((await postsOf(maker)).find(({ id }) => id === first?.id)).toMatchObject({ status: "draft" });
    expect(await postsOf(stranger)).toMatchObject([{ status: "draft" }]);
  });
});
