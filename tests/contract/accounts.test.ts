import { describe, expect, inject, test } from "vitest";
import { callApp, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";

const ACCOUNTS = "/api/users/pinterest/accounts/";
const boardsPath = (id: string) => `/api/users/pinterest/boards/${encodeURIComponent(id)}/`;
const ABSENT = `acc_${"0".repeat(26)}`;

/** The standard error body: the text under two keys, the code and the request id. */
const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});

describe("GET /api/users/pinterest/accounts/", () => {
  test("R-API-05 R-ACC-01 R-ENT-04 responds with a plain array of the documented shape, with and without the slash", async () => {
    const user = await signUp();
    expect(await user.call(ACCOUNTS)).toMatchObject({ status: 200, json: [] });
    const { id, username } = await connectOverHttp(user);
    for (const path of [ACCOUNTS, ACCOUNTS.slice(0, -1)]) {
      const { status, json } = await user.call(path);
      expect(status).toBe(200);
      expect(json).toEqual([
        {
          id,
          username,
          created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          total_boards: 3,
          total_pins: expect.any(Number),
          followers: expect.any(Number),
          monthly_views: expect.any(Number),
          status: "connected",
          profile_url: `${inject("app").pinterestUrl}/${username}/`,
        },
      ]);
    }
  });

  test("R-SRV-05 responses contain no token", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    for (const path of [ACCOUNTS, boardsPath(id)]) {
      expect((await user.call(path)).text).not.toMatch(/pin[ar]_|v1\.[0-9a-f]{8}\./);
    }
  });

  test("R-API-30 401 without a valid token", async () => {
    const bearer = { headers: { authorization: "Bearer not.a.token" } };
    for (const answer of [await callApp(ACCOUNTS), await callApp(ACCOUNTS, bearer)]) {
      expect(answer.status).toBe(401);
      expect(answer.json).toEqual(errorBody("unauthenticated"));
    }
  });

  test("R-ROLE-04 another user's accounts are not listed", async () => {
    await connectOverHttp(await signUp());
    expect((await (await signUp()).call(ACCOUNTS)).json).toEqual([]);
  });
});

describe("PUT /api/users/pinterest/accounts/", () => {
  test("R-API-06 R-ACC-04 A-13 removes the account named in the body", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const removed = await user.call(ACCOUNTS, { method: "PUT", body: { accountId: id, more: "ignored" } });
    expect(removed.status).toBe(200);
    expect(removed.json).toEqual({ message: expect.any(String) });
    expect((await user.call(ACCOUNTS)).json).toEqual([]);
    const again = await user.call(ACCOUNTS, { method: "PUT", body: { accountId: id } });
    expect(again).toMatchObject({ status: 404, json: errorBody("not_found") });
  });

  test("R-API-30 401 without a token", async () => {
    const answer = await callApp(ACCOUNTS, { method: "PUT", body: { accountId: ABSENT } });
    expect(answer).toMatchObject({ status: 401, json: errorBody("unauthenticated") });
  });

  test("R-API-31 another user's account is not found and not changed", async () => {
    const owner = await signUp();
    const { id } = await connectOverHttp(owner);
    const stranger = await signUp();
    const foreign = await stranger.call(ACCOUNTS, { method: "PUT", body: { accountId: id } });
    const absent = await stranger.call(ACCOUNTS, { method: "PUT", body: { accountId: ABSENT } });
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    expect(foreign.json).toEqual(errorBody("not_found", "We can't find this. It may have been deleted."));
    expect(absent.json).toEqual(errorBody("not_found", "We can't find this. It may have been deleted."));
    expect((await owner.call(ACCOUNTS)).json).toMatchObject([{ id }]);
  });

  test.each([
    ["no body", undefined],
    ["no JSON", "{"],
    ["an array", []],
    ["null", "null"],
    ["no id", {}],
    ["a number", { accountId: 7 }],
    ["an object", { accountId: { $ne: "" } }],
    ["an empty id", { accountId: "" }],
    ["a long id", { accountId: "x".repeat(5_000) }],
  ])("R-API-06 %s is 400 and changes nothing", async (_, body) => {
    const user = await signUp();
    const answer = await user.call(ACCOUNTS, { method: "PUT", ...(body !== undefined && { body }) });
    expect(answer).toMatchObject({ status: 400, json: { code: "invalid", error: expect.any(String) } });
  });

  test("R-API-06 a body over a megabyte is 413", async () => {
    const user = await signUp();
    const answer = await user.call(ACCOUNTS, { method: "PUT", body: { accountId: "x".repeat(1_100_000) } });
    expect(answer).toMatchObject({ status: 413, json: errorBody("too_large") });
  });
});

describe("GET /api/users/pinterest/boards/{accountId}/{boardId}/sections/", () => {
  const sectionsPath = (id: string, boardId: string) => `${boardsPath(id)}${boardId}/sections/`;

  test("responds with the sections under items, with and without the slash; a board that is gone is named", async () => {
    const user = await signUp();
    const { id, username } = await connectOverHttp(user);
    const [board] = await controlPinterest(inject("app").pinterestUrl).boardsOf(username);
    const path = sectionsPath(id, board?.id ?? "");
    for (const one of [path, path.slice(0, -1)]) {
      expect(await user.call(one)).toMatchObject({ status: 200, json: { items: [] } });
    }
    const gone = await user.call(sectionsPath(id, "404404"));
    expect([gone.status, Object(gone.json).error]).toEqual([404, expect.stringContaining("board no longer exists")]);
  });

  test("401 without a token; another user's account is 404, and what is no board ID is 400", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    expect(await callApp(sectionsPath(id, "1"))).toMatchObject({ status: 401, json: errorBody("unauthenticated") });
    expect((await (await signUp()).call(sectionsPath(id, "1"))).status).toBe(404);
    expect((await user.call(sectionsPath(id, "x"))).status).toBe(400);
  });
});

describe("GET /api/users/pinterest/boards/{accountId}/", () => {
  test("R-API-08 R-BRD-02 R-BRD-07 R-ENT-05 responds with all boards under items, in the documented shape", async () => {
    const user = await signUp();
    const { id, username } = await connectOverHttp(user, 260);
    const real = await controlPinterest(inject("app").pinterestUrl).boardsOf(username);
    for (const path of [boardsPath(id), boardsPath(id).slice(0, -1)]) {
      const { status, json } = await user.call(path);
      expect(status).toBe(200);
      expect(json).toEqual({ items: real.map((board) => ({ ...board, description: expect.any(String) })) });
    }
    expect(real.some(({ privacy }) => privacy === "SECRET")).toBe(true);
  });

  test("R-API-30 401 without a token", async () => {
    expect(await callApp(boardsPath(ABSENT))).toMatchObject({ status: 401, json: errorBody("unauthenticated") });
  });

  test("R-API-31 other users', unknown and malformed ids are all 404", async () => {
    const { id } = await connectOverHttp(await signUp());
    const stranger = await signUp();
    for (const wrong of [id, ABSENT, "1", "acc_' or '1'='1", "../../me", "%00", "ACC_X"]) {
      const answer = await stranger.call(boardsPath(wrong));
      expect([wrong, answer.status, answer.json]).toEqual([
        wrong,
        404,
        errorBody("not_found", "We can't find this. It may have been deleted."),
      ]);
    }
  });

  test("R-BRD-06 a revoked Pinterest token is 409 reconnect_needed, never 401", async () => {
    const user = await signUp();
    const { id, username } = await connectOverHttp(user);
    await controlPinterest(inject("app").pinterestUrl).revoke(username);
    const answer = await user.call(boardsPath(id));
    expect(answer).toMatchObject({ status: 409, json: errorBody("reconnect_needed") });
  });
});
