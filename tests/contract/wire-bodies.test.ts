import { beforeAll, describe, expect, inject, test } from "vitest";
import { type AppClient, clientOf, type SignedInUser } from "#tests/support/app-client.ts";
import {
  bearer,
  type Creator,
  errorBody,
  insertCreator,
  logIn,
  newPerson,
  openSession,
  register,
} from "./wire-harness.ts";

const REGISTER = "/api/users/register/";
const LOGIN = "/api/users/login/";
const ACCOUNTS = "/api/users/pinterest/accounts/";
const GENERATE = "/api/users/pinterest/generate-pins/";
const BATCH = "/api/users/pinterest/batch-publish-pins/";

const BODY_CALLS = [
  ["R-API-01", "POST", REGISTER],
  ["R-API-02", "POST", LOGIN],
  ["R-API-20", "POST", "/api/users/password-reset/"],
  ["R-API-21", "POST", "/api/users/password-reset-confirm/"],
  ["R-API-06", "PUT", ACCOUNTS],
  ["R-API-10", "POST", GENERATE],
  ["R-API-13", "POST", BATCH],
] as const;

let client: AppClient;
let creator: Creator;

beforeAll(async () => {
  client = clientOf(inject("app"));
  creator = await insertCreator(client, 1);
}, 120_000);

/** A two-megabyte stream without a content length. */
const flood = (): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      for (let i = 0; i < 20; i++) controller.enqueue(new TextEncoder().encode("x".repeat(100_000)));
      controller.close();
    },
  });

const sendAs = (user: SignedInUser, method: string, path: string, body: unknown) =>
  path === REGISTER || path === LOGIN ? client.callApp(path, { method, body }) : user.call(path, { method, body });

const creditsOf = async (user: SignedInUser) => Object((await user.call("/api/users/credits/")).json).available_credits;

describe.each(BODY_CALLS)("%s %s %s", (id, method, path) => {
  test.each([
    ["no JSON", "{", "The body is not valid JSON."],
    ["a word", "moss", "The body is not valid JSON."],
    ["an array", [], "The body must be a JSON object."],
    ["null", "null", "The body must be a JSON object."],
    ["a text", '"{}"', "The body must be a JSON object."],
    ["a number", "7", "The body must be a JSON object."],
    ["true", "true", "The body must be a JSON object."],
    ["a hundred thousand brackets", "[".repeat(100_000), "The body is not valid JSON."],
    [
      "arrays a hundred thousand deep",
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "The body must be a JSON object.",
    ],
  ])(`${id} %s is 400 in the standard shape`, async (_, body, text) => {
    const answer = await sendAs(creator.user, method, path, body);
    expect([answer.status, answer.json]).toEqual([400, errorBody("invalid", text)]);
  });

  test(`${id} invalid UTF-8 is 400`, async () => {
    const response = await fetch(`${inject("app").baseUrl}${path}`, {
      method,
      headers: bearer((await openSession(client)).token),
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      errorBody("invalid", "The body is not valid JSON."),
    ]);
  });

  test(`${id} more than a megabyte is 413, with or without content-length`, async () => {
    const announced = await sendAs(creator.user, method, path, { filling: "x".repeat(1_000_000) });
    expect([announced.status, announced.json]).toEqual([413, errorBody("too_large")]);
    const { token } = await openSession(client);
    const init: RequestInit & { duplex: "half" } = { method, headers: bearer(token), body: flood(), duplex: "half" };
    const streamed = await fetch(`${inject("app").baseUrl}${path}`, init);
    expect([streamed.status, await streamed.json()]).toEqual([413, errorBody("too_large")]);
  });

  test(`${id} an empty body is 400`, async () => {
    const answer = await sendAs(creator.user, method, path, undefined);
    expect(answer.status).toBe(400);
    const standard = { ...errorBody("invalid"), fields: expect.any(Object) };
    const isField = path === REGISTER || path === LOGIN;
    expect(answer.json).toEqual(isField ? expect.objectContaining({ password: ["Password is required"] }) : standard);
  });
});

describe("unexpected fields", () => {
  test("R-API-01, R-ROLE-02 registration ignores plan, credits, id, role and verified flag", async () => {
    const person = newPerson();
    const extra = {
      plan: "pro",
      credits: 9_999,
      available_credits: 9_999,
      id: "usr_1",
      user_id: "usr_1",
      email_verified: true,
      emailVerifiedAt: "2026-01-01T00:00:00Z",
      is_admin: true,
      role: "admin",
      ["__proto__"]: { plan: "pro" },
      constructor: { prototype: { plan: "pro" } },
    };
    const body = { ...person, confirmPassword: person.password, ...extra };
    expect(await client.callApp(REGISTER, { method: "POST", body })).toMatchObject({ status: 201 });
    const { token } = await logIn(client, person);
    const me = await client.callApp("/api/users/me/", { headers: bearer(token) });
    expect(me.json).toMatchObject({ plan: "free", email_verified: false, id: expect.stringMatching(/^usr_.{26}$/) });
    expect(Object.keys(Object(me.json)).filter((key) => /role|admin|staff/i.test(key))).toEqual([]);
    const credits = await client.callApp("/api/users/credits/", { headers: bearer(token) });
    expect(credits.json).toEqual({ available_credits: 5 });
  });

  test("R-API-10 generation is charged to the caller, whatever the body says", async () => {
    const other = await insertCreator(client, 1);
    const before = [await creditsOf(creator.user), await creditsOf(other.user)];
    const body = {
      pinterest_account: creator.accountId,
      board_id: creator.boardId,
      quality: "standard",
      keyword_data: [{ keyword: "ivy", url: null, credits: 0, status: "SUCCESS", task_id: "tsk_1" }],
      user_id: "usr_1",
      userId: "usr_1",
      credits: 0,
      cost: 0,
      total_tasks: 100,
    };
    const answer = await creator.user.call(GENERATE, { method: "POST", body });
    expect(answer.json).toMatchObject({ total_tasks: 1, warning: null });
    expect([await creditsOf(creator.user), await creditsOf(other.user)]).toEqual([Number(before[0]) - 1, before[1]]);
  });

  test("R-API-13 a batch cannot set other states", async () => {
    const body = {
      post_ids: creator.pinIds,
      interval_minutes: 1,
      status: "published",
      pinterest_url: "https://evil.example",
      published_at: "2026-01-01T00:00:00Z",
      account_id: "acc_1",
      user_id: "usr_1",
      start: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const { status } = await creator.user.call(BATCH, { method: "POST", body });
    expect(status).toBe(200);
    const { json } = await creator.user.call(
      `/api/users/pinterest/generated-pins/${creator.accountId}/?status=scheduled`,
    );
    expect(json).toMatchObject({
      posts: [{ id: creator.pinIds[0], account_id: creator.accountId, published_at: null, pinterest_url: null }],
    });
  });

  test("R-API-08 the id in the path wins over the query", async () => {
    const stranger = await insertCreator(client, 1);
    const answer = await stranger.user.call(
      `/api/users/pinterest/boards/${creator.accountId}/?accountId=${stranger.accountId}`,
    );
    expect(answer.status).toBe(404);
  });

  test("R-REG-17 of two concurrent registrations with the same name one gets 400", async () => {
    const person = newPerson();
    const answers = await Promise.all([register(client, person), register(client, person)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });
});
