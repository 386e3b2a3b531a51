import { describe, expect, test } from "vitest";
import { scriptedPinterest } from "#tests/support/scripted-pinterest.ts";

const tokensJson = {
  access_token: "pina_1",
  refresh_token: "pinr_1",
  response_type: "authorization_code",
  token_type: "bearer",
  expires_in: 2_592_000,
  refresh_token_expires_in: 5_184_000,
  refresh_token_expires_at: 1_800_000_000,
  scope: "boards:read boards:write,pins:read",
  brand_new_field: { nested: true },
};

describe("URLs", () => {
  test("R-ACC-07 the consent URL gets every parameter and keeps its own", async () => {
    const { client } = await scriptedPinterest();
    const address = client.consentUrl({
      state: "a&b=c",
      redirectUri: "https://x.test/cb/?a=1",
      scopes: ["a:b", "c:d"],
    });
    const url = new URL(address);
    expect(url.origin + url.pathname).toBe("https://www.pinterest.test/oauth/");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      lang: "en",
      client_id: "app 1",
      redirect_uri: "https://x.test/cb/?a=1",
      response_type: "code",
      scope: "a:b,c:d",
      state: "a&b=c",
    });
  });

  test("R-ACC-05 profile and pin pages; a hostile name stays one path segment", async () => {
    const { client } = await scriptedPinterest();
    expect(client.profileUrl("moss")).toBe("https://www.pinterest.test/moss/");
    expect(client.profileUrl("../x?y")).toBe("https://www.pinterest.test/..%2Fx%3Fy/");
    expect(client.pinUrl("81")).toBe("https://www.pinterest.test/pin/81/");
  });
});

describe("tokens", () => {
  test("A-86 exchanges the code as our app, form-encoded", async () => {
    const { client, seen } = await scriptedPinterest({ json: tokensJson });
    const answer = await client.exchangeCode({ code: "c", redirectUri: "https://x.test/cb/" });
    expect(answer).toEqual({
      kind: "ok",
      value: {
        accessToken: "pina_1",
        refreshToken: "pinr_1",
        accessExpiresInSeconds: 2_592_000,
        refreshExpiresInSeconds: 5_184_000,
        scopes: ["boards:read", "boards:write", "pins:read"],
      },
    });
    expect(seen[0]).toMatchObject({
      method: "POST",
      path: "/v5/oauth/token",
      authorization: `Basic ${btoa("app 1:s:ecret")}`,
      body: "grant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2Fx.test%2Fcb%2F&continuous_refresh=true",
    });
  });

  test("R-SRV-05 a refresh without a new refresh token keeps the current one", async () => {
    const { refresh_token: _, ...json } = tokensJson;
    const { client } = await scriptedPinterest({ json }, { json });
    expect(await client.refreshTokens({ refreshToken: "pinr_old" })).toMatchObject({
      value: { refreshToken: "pinr_old" },
    });
    expect(await client.exchangeCode({ code: "c", redirectUri: "x" })).toMatchObject({ problem: { kind: "rejected" } });
  });

  test("R-SRV-05 distinguishes a dead refresh token from a temporary failure", async () => {
    const dead = { status: 400, json: { code: 283, message: "The authorization grant is invalid" } };
    const { client } = await scriptedPinterest(dead, { status: 502, text: "<html>" }, "cut", "hang");
    const kinds = [];
    for (let n = 0; n < 4; n += 1) {
      const answer = await client.refreshTokens({ refreshToken: "r" });
      kinds.push(answer.kind === "problem" && answer.problem.kind);
    }
    expect(kinds).toEqual(["token_dead", "unavailable", "unavailable", "unavailable"]);
  });
});

const ON_BOARD = { boardId: "9", boardSectionId: null };

describe("reads", () => {
  test("R-ENT-04 unknown fields are ignored, unknown counts are null", async () => {
    const { client } = await scriptedPinterest({
      json: { id: "1", username: "moss", board_count: 3, pin_count: null, monthly_views: -1, novelty: [1] },
    });
    expect(await client.readProfile("t")).toEqual({
      kind: "ok",
      value: {
        pinterestUserId: "1",
        username: "moss",
        boardCount: 3,
        pinCount: null,
        followerCount: null,
        monthlyViews: null,
      },
    });
  });

  test.each([
    ["no JSON", { text: "<html>hello</html>" }],
    ["torn JSON", { text: '{"id": "813' }],
    ["another shape", { json: { id: 7 } }],
    ["nothing", { text: "" }],
    ["null", { text: "null" }],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
    ["an error page", { status: 503, text: "<html>" }],
    ["a cut reply", "cut" as const],
    ["silence", "hang" as const],
  ])("R-SRV-04 %s is unavailable", async (_, answer) => {
    const { client, seen } = await scriptedPinterest(answer);
    expect(await client.readProfile("t")).toMatchObject({ kind: "problem", problem: { kind: "unavailable" } });
    expect(seen).toHaveLength(1);
  });

  test("R-SRV-04 a refusal without a valid body is classified by its status", async () => {
    const { client } = await scriptedPinterest({ status: 404, text: "null" }, { status: 401, json: { code: "2" } });
    expect(await client.readProfile("t")).toMatchObject({ problem: { kind: "not_found" } });
    expect(await client.readProfile("t")).toMatchObject({ problem: { kind: "token_dead" } });
  });

  test("creates a public board; without an answer it is unknown whether it exists", async () => {
    const board = { id: "1", name: "Shade plants", description: null, privacy: "PUBLIC" };
    const { client, seen } = await scriptedPinterest({ status: 201, json: board }, "cut");
    expect(await client.createBoard("tok", { name: "Shade plants" })).toEqual({
      kind: "ok",
      value: { ...board, description: "" },
    });
    expect(seen.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ["POST", "/v5/boards", { name: "Shade plants", privacy: "PUBLIC" }],
    ]);
    expect(await client.createBoard("tok", { name: "Moss" })).toMatchObject({ problem: { kind: "unavailable" } });
  });

  test("R-BRD-07 requests boards in the largest pages and returns bookmarks unchanged", async () => {
    const board = { id: "1", name: "N", description: null, privacy: "SECRET", owner: {} };
    const { client, seen } = await scriptedPinterest(
      { json: { items: [board], bookmark: "b&=/+" } },
      { json: { items: [{ id: "2", name: "M" }], bookmark: "" } },
    );
    expect(await client.listBoards("tok")).toEqual({
      kind: "ok",
      value: [
        { id: "1", name: "N", description: "", privacy: "SECRET" },
        { id: "2", name: "M", description: "", privacy: "PUBLIC" },
      ],
    });
    expect(seen.map(({ query, authorization }) => [query, authorization])).toEqual([
      [{ page_size: "250" }, "Bearer tok"],
      [{ page_size: "250", bookmark: "b&=/+" }, "Bearer tok"],
    ]);
  });

  test("R-SRV-06 a board pin's time without a time zone is UTC", async () => {
    const at = (created_at: string, id: string) => ({ id, title: null, link: "", created_at });
    const { client, seen } = await scriptedPinterest({
      json: {
        items: [
          at("2026-11-20T12:00:00", "1"),
          at("2026-11-20T12:00:00.123456", "2"),
          at("2026-11-20T14:00:00+02:00", "3"),
          at("2026-11-20T12:00:00Z", "4"),
          at("2026-11-20T11:59:59", "5"),
        ],
      },
    });
    const answer = await client.listBoardPinsSince("t", ON_BOARD, new Date("2026-11-20T12:00:00Z"));
    expect(answer).toMatchObject({
      kind: "ok",
      value: ["1", "2", "3", "4"].map((id) => ({ id, title: "", link: null, createdAt: expect.any(Date) })),
    });
    expect(seen[0]?.path).toBe("/v5/boards/9/pins");
  });

  test("R-SRV-03 a board check reads the whole image's URL, of a carousel the first slide's, and none from an unknown shape", async () => {
    const created_at = "2026-11-20T12:00:00";
    const images = (sizes: Record<string, string>) => ({
      media_type: "image",
      images: Object.fromEntries(Object.entries(sizes).map(([size, url]) => [size, { width: 1, height: 1, url }])),
    });
    const { client } = await scriptedPinterest({
      json: {
        items: [
          {
            id: "1",
            created_at,
            media: images({ "150x150": "https://i.pinimg.com/a", "600x": "https://i.pinimg.com/b" }),
          },
          { id: "2", created_at, media: images({ "150x150": "https://i.pinimg.com/a" }) },
          { id: "3", created_at, media: { images: [1] } },
          { id: "4", created_at, media: null },
          {
            ...{ id: "5", created_at },
            media: {
              media_type: "multiple_images",
              items: [images({ "600x": "https://i.pinimg.com/c" }), images({ "600x": "https://i.pinimg.com/d" })],
            },
          },
          { id: "6", created_at, media: { media_type: "multiple_images", items: [] } },
        ],
      },
    });
    const answer = await client.listBoardPinsSince("t", ON_BOARD, new Date("2026-11-01T00:00:00Z"));
    expect(answer).toMatchObject({
      value: ["https://i.pinimg.com/b", null, null, null, "https://i.pinimg.com/c", null].map((imageUrl) => ({
        imageUrl,
      })),
    });
  });

  test("R-SRV-03 a board check ends at the first page of older pins, not at the first older pin", async () => {
    const old = { id: "1", created_at: "2020-01-01T00:00:00" };
    const fresh = { id: "2", created_at: "2026-11-20T12:00:00" };
    const { client, seen } = await scriptedPinterest(
      { json: { items: [old], bookmark: "not yet" } },
      { json: { items: [fresh], bookmark: "x" } },
    );
    const since = new Date("2026-11-01T00:00:00Z");
    expect(await client.listBoardPinsSince("t", ON_BOARD, since)).toEqual({ kind: "ok", value: [] });
    expect(seen).toHaveLength(1);
    const mixed = await scriptedPinterest({ json: { items: [old, fresh], bookmark: "2" } }, { json: { items: [old] } });
    expect(await mixed.client.listBoardPinsSince("t", ON_BOARD, since)).toMatchObject({ value: [{ id: "2" }] });
    expect(mixed.seen).toHaveLength(2);
  });

  test("sections: listed, created, and a board check reads the pin's section as well as its board", async () => {
    const fall = { id: "5", name: "Fall" };
    const at = (id: string) => ({ id, created_at: "2026-11-20T12:00:00" });
    const { client, seen } = await scriptedPinterest(
      { json: { items: [fall], bookmark: null } },
      { status: 201, json: fall },
      { json: { items: [at("1"), at("2")] } },
      { json: { items: [at("2"), at("3")] } },
    );
    expect(await client.listBoardSections("t", "9")).toEqual({ kind: "ok", value: [fall] });
    expect(await client.createBoardSection("t", { boardId: "9", name: "Fall" })).toEqual({ kind: "ok", value: fall });
    const since = new Date("2026-11-01T00:00:00Z");
    const place = { boardId: "9", boardSectionId: "5" };
    expect(await client.listBoardPinsSince("t", place, since)).toMatchObject({
      value: [{ id: "1" }, { id: "2" }, { id: "3" }],
    });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v5/boards/9/sections",
      "POST /v5/boards/9/sections",
      "GET /v5/boards/9/pins",
      "GET /v5/boards/9/sections/5/pins",
    ]);
    expect(JSON.parse(seen[1]?.body ?? "")).toEqual({ name: "Fall" });
  });

  test("a section that is gone or can't be read is not an empty one", async () => {
    const place = { boardId: "9", boardSectionId: "5" };
    const onBoard = { json: { items: [{ id: "1", created_at: "2026-11-20T12:00:00" }] } };
    const gone = { status: 404, json: { code: 2031, message: "x" } };
    const { client } = await scriptedPinterest(onBoard, gone, onBoard, { status: 503 });
    const since = new Date("2026-11-01T00:00:00Z");
    expect(await client.listBoardPinsSince("t", place, since)).toMatchObject({ problem: { kind: "not_found" } });
    expect(await client.listBoardPinsSince("t", place, since)).toMatchObject({ problem: { kind: "unavailable" } });
  });
});
