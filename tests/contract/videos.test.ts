import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIBRARY_MAX, SAVE_BATCH_MAX, SAVE_BYTES_MAX, TEXTS, VIDEO_PAGE_MAX } from "#lib/features/videos/constants.ts";
import { type AppResponse, type ContractUser, callApp, signUp } from "#tests/support/contract-client.ts";
import { errorBody, errorOf } from "./pins-harness.ts";

const CALL = "/api/users/save_tiktok_videos/";
const item = (id: string) => `/api/users/tiktok_videos/${id}/`;
const ABSENT = `vid_${"0".repeat(26)}`;

const urlOf = (n: number) => `https://www.tiktok.com/@moss.kitchen/video/${7_301_234_567_890_123_456n + BigInt(n)}`;

const videoOf = (n: number, more: Record<string, unknown> = {}) => ({
  ...{ id: n, video_url: urlOf(n), title: `Slow bread no. ${n} #bread`, author: "moss.kitchen" },
  author_url: "https://www.tiktok.com/@moss.kitchen",
  thumbnail_url: null,
  ...{ views_count: "1.2K", date_posted: "3d ago", hashtags: ["bread"], sources: { title: "dom" } },
  ...more,
});

const save = (user: ContractUser, videos: unknown, path = CALL): Promise<AppResponse> =>
  user.call(path, { method: "POST", body: { videos } });

const resultsOf = async (user: ContractUser, query = ""): Promise<{ id: string; title: string }[]> =>
  Object((await user.call(`${CALL}${query}`)).json).results;

describe("POST /api/users/save_tiktok_videos/", () => {
  test("R-API-23, R-VID-27, R-VID-28 answers with a message, with and without the slash; R-API-24, R-SAV-02 lists them as results", async () => {
    const user = await signUp();
    const answer = await save(user, [videoOf(1), videoOf(2)]);
    expect([answer.status, answer.json]).toEqual([200, { message: "Successfully saved 2 videos!", saved: 2 }]);
    expect((await save(user, [videoOf(2), videoOf(3)], CALL.slice(0, -1))).json).toMatchObject({ saved: 2 });
    const { status, json, headers } = await user.call(CALL.slice(0, -1));
    expect([status, headers.get("link")]).toEqual([200, null]);
    expect(Object.keys(Object(json))).toEqual(["results"]);
    expect(Object(json).results.map((video: { title: string }) => video.title)).toEqual([
      "Slow bread no. 3 #bread",
      "Slow bread no. 1 #bread",
      "Slow bread no. 2 #bread",
    ]);
    expect(Object(json).results[1]).toEqual({
      ...{ id: expect.stringMatching(/^vid_[0-9a-z]{26}$/), video_url: urlOf(1) },
      ...{ title: "Slow bread no. 1 #bread", description: "Slow bread no. 1 #bread", author: "moss.kitchen" },
      ...{ author_url: "https://www.tiktok.com/@moss.kitchen", thumbnail_url: null, views_count: "1.2K", views: 1_200 },
      ...{ likes_count: null, date_posted: "3d ago", uploaded_at: null, duration_seconds: null },
      ...{ hashtags: ["bread"], tags: [], notes: "" },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("R-API-23 accepts five hundred videos with the longest texts, rejects 501 and none", async () => {
    const user = await signUp();
    const many = Array.from({ length: SAVE_BATCH_MAX + 1 }, (_, n) =>
      videoOf(n, { title: `${n} ${"é".repeat(3_000)}` }),
    );
    const tooMany = await save(user, many);
    expect([tooMany.status, tooMany.json]).toEqual([400, errorOf("videos", TEXTS.tooManyVideos)]);
    expect((await save(user, [])).json).toMatchObject({ fields: { videos: [TEXTS.noVideos] } });
    expect((await save(user, "all of them")).json).toMatchObject({ fields: { videos: [TEXTS.videosInvalid] } });
    expect(await resultsOf(user)).toEqual([]);
    expect((await save(user, many.slice(1))).json).toMatchObject({ saved: SAVE_BATCH_MAX });
    expect(await resultsOf(user)).toHaveLength(SAVE_BATCH_MAX);
  });

  test("R-API-23 a body above 4 MB is 413 with or without Content-Length, and stores nothing", async () => {
    const user = await signUp();
    const body = JSON.stringify({ videos: [videoOf(1)], filling: "x".repeat(SAVE_BYTES_MAX) });
    const announced = await user.call(CALL, { method: "POST", body });
    expect([announced.status, announced.json]).toEqual([413, errorBody("too_large")]);
    expect(await resultsOf(user)).toEqual([]);
    const filled = JSON.stringify({ videos: [videoOf(1)], filling: "x".repeat(SAVE_BYTES_MAX - 1_000) });
    expect((await user.call(CALL, { method: "POST", body: filled })).status).toBe(200);
  });

  const LONG = "x".repeat(5_001);
  test.each([
    ["a javascript: link", { video_url: "javascript:alert(1)//www.tiktok.com/@a/video/1" }, "video_url"],
    ["another site", { video_url: "https://www.tiktok.com.evil.example/@a/video/1" }, "video_url"],
    ["a name and password before it", { video_url: "https://a:b@www.tiktok.com/@a/video/1" }, "video_url"],
    ["a profile", { video_url: "https://www.tiktok.com/@moss" }, "video_url"],
    ["an address with NUL", { video_url: "https://www.tiktok.com/@a\u0000/video/1" }, "video_url"],
    ["an address of 100,000 characters", { video_url: `${urlOf(1)}?${"x".repeat(100_000)}` }, "video_url"],
    ["no address", { video_url: undefined }, "video_url"],
    ["a number for an address", { video_url: 7 }, "video_url"],
    ["a caption of 5,001 characters", { title: LONG }, "title"],
    ["a description of 5,001 characters", { description: LONG }, "description"],
    ["a title that is no text", { title: { $ne: "" } }, "title"],
    ["an author of 5,001 characters", { author: LONG }, "author"],
    ["a picture's address of 5,001 characters", { thumbnail_url: `https://a.example/${LONG}` }, "thumbnail_url"],
    ["a count of 5,001 digits", { views_count: LONG }, "views_count"],
    ["a time that is none", { uploaded_at: "yesterday" }, "uploaded_at"],
    ["hashtags that are no list", { hashtags: "#bread" }, "hashtags"],
    ["101 hashtags", { hashtags: Array.from({ length: 101 }, (_, n) => `t${n}`) }, "hashtags"],
    ["a hashtag of 5,001 characters", { hashtags: ["good", LONG] }, "hashtags.1"],
  ])("R-API-23 %s is reported, and nothing is saved", async (_, wrong, field) => {
    const user = await signUp();
    const { status, json } = await save(user, [videoOf(1), videoOf(2, wrong)]);
    const message = expect.stringMatching(/^Video 2: [A-Z].+\.$/);
    expect([status, json]).toEqual([
      400,
      { ...errorBody("invalid"), error: message, message, fields: { [`videos.1.${field}`]: [message] } },
    ]);
    expect(await resultsOf(user)).toEqual([]);
  });

  test("R-VID-31 keeps harmless text, but removes NUL, lone surrogates and script links", async () => {
    const user = await signUp();
    const script = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    const title = `a\u0000b\ud800 ${script} =1+1`;
    const body = `{"__proto__":{"videos":[]},"videos":[${JSON.stringify({
      ...videoOf(1, { title, author: "\udc00\u0007moss", hashtags: ["__proto__", "constructor", "b\u0000read", "#"] }),
      ...{ author_url: "javascript:alert(1)", thumbnail_url: "data:text/html,<script>" },
    }).replace("{", '{"__proto__":{"video_url":"x"},')}]}`;
    const answer = await user.call(CALL, { method: "POST", body });
    expect([answer.status, answer.json]).toEqual([200, { message: "Successfully saved 1 videos!", saved: 1 }]);
    expect(await resultsOf(user)).toMatchObject([
      {
        ...{ title: `ab\ufffd ${script} =1+1`, author: "\ufffdmoss", author_url: null, thumbnail_url: null },
        hashtags: ["__proto__", "constructor", "bread"],
      },
    ]);
    expect(await resultsOf(user, "?hashtag=__proto__")).toHaveLength(1);
    expect(await resultsOf(user, "?search=%3Cscript%3E")).toHaveLength(1);
  });

  test("A-68 concurrent saves of the same videos store each once", async () => {
    const user = await signUp();
    const videos = Array.from({ length: 60 }, (_, n) => videoOf(n));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => save(user, n % 2 ? videos : videos.toReversed())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await resultsOf(user)).toHaveLength(60);
  });
});

describe("GET /api/users/save_tiktok_videos/", () => {
  test("R-API-24, R-SAV-04, R-SAV-05, R-SAV-06, R-SAV-07 searches, filters, counts and pages with the Link header", async () => {
    const user = await signUp();
    const word = randomBytes(5).toString("hex");
    const videos = Array.from({ length: 5 }, (_, n) =>
      videoOf(n, { title: `${n} ${word.toUpperCase()}`, views_count: "2M" }),
    );
    await save(user, [
      ...videos,
      videoOf(6, { author: `by_${word}`, hashtags: ["Cake"], views_count: "987" }),
      videoOf(7),
    ]);
    let path: string | undefined = `${CALL}?search=${word}&limit=2&counts=true`;
    const seen: string[] = [];
    while (path) {
      const { json, headers }: AppResponse = await user.call(path);
      seen.push(...Object(json).results.map(({ video_url }: { video_url: string }) => video_url));
      expect(Object(json).counts).toEqual({ total: 7, found: 6, views: 10_000_987 });
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 6].map(urlOf));
    expect(await resultsOf(user, "?hashtag=%23cake")).toHaveLength(1);
    const { json } = await user.call(`${CALL}?hashtags=true&limit=1`);
    expect(Object(json).hashtags).toEqual([
      { hashtag: "bread", videos: 6 },
      { hashtag: "Cake", videos: 1 },
    ]);
    for (const query of [
      "?limit=0",
      "?limit=201",
      "?limit=x",
      "?cursor=x",
      "?counts=yes",
      `?search=${"x".repeat(201)}`,
    ]) {
      expect([query, (await user.call(`${CALL}${query}`)).status]).toEqual([query, 400]);
    }
  });
});

test("R-API-24 without a limit all videos are streamed; HEAD and an aborted request do no harm", async () => {
  const user = await signUp();
  const count = 2 * VIDEO_PAGE_MAX + 50;
  await save(
    user,
    Array.from({ length: count }, (_, n) => videoOf(n)),
  );
  const { status, json, headers } = await user.call(`${CALL}?counts=true`);
  expect([status, headers.get("link"), headers.get("content-type")]).toEqual([
    200,
    null,
    "application/json; charset=utf-8",
  ]);
  expect(Object.keys(Object(json))).toEqual(["results", "counts"]);
  expect(Object(json).results.map(({ video_url }: { video_url: string }) => video_url)).toEqual(
    Array.from({ length: count }, (_, n) => urlOf(n)),
  );
  expect(Object(json).counts).toMatchObject({ total: count, found: count });
  expect((await user.call(CALL, { method: "HEAD" })).status).toBe(200);
  expect(await resultsOf(user, "?search=no.%207%20")).toHaveLength(
    (await resultsOf(user, "?search=no.%207%20&limit=200")).length,
  );
});

describe("DELETE /api/users/tiktok_videos/{id}/", () => {
  test("R-API-25, R-SAV-10 returns 204 with and without the slash; 404 the second time and for unknown ids", async () => {
    const user = await signUp();
    await save(user, [videoOf(1), videoOf(2), videoOf(3)]);
    const [first, second, third] = await resultsOf(user);
    expect(await user.call(item(first?.id ?? ""), { method: "DELETE" })).toMatchObject({ status: 204, text: "" });
    expect((await user.call(item(second?.id ?? "").slice(0, -1), { method: "DELETE" })).status).toBe(204);
    for (const id of [first?.id ?? "", ABSENT, "x", "%27", "..%2f"]) {
      const answer = await user.call(item(id), { method: "DELETE" });
      expect([id, answer.status, answer.json]).toEqual([
        id,
        404,
        errorBody("not_found", "We can't find this. It may have been deleted."),
      ]);
    }
    expect((await resultsOf(user)).map(({ id }) => id)).toEqual([third?.id]);
  });

  test("R-API-30 is 401 without a login and changes nothing; other methods are 405", async () => {
    const user = await signUp();
    await save(user, [videoOf(1)]);
    const [video] = await resultsOf(user);
    const path = item(video?.id ?? "");
    const attempts: Record<string, string>[] = [
      {},
      { authorization: "Bearer x" },
      { cookie: "next-auth.session-token=x" },
    ];
    for (const headers of attempts) {
      const answer = await callApp(path, { method: "DELETE", headers });
      expect([answer.status, answer.json]).toEqual([401, errorBody("unauthenticated")]);
    }
    for (const method of ["GET", "POST", "PUT", "PATCH"]) {
      const answer = await user.call(path, { method });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "DELETE"]);
    }
    expect(await resultsOf(user)).toHaveLength(1);
  });
});

test("the texts about limits match the limits", () => {
  expect(TEXTS.libraryFull).toContain(LIBRARY_MAX.toLocaleString("en-US"));
  expect(TEXTS.tooManyVideos).toContain(String(SAVE_BATCH_MAX));
});
