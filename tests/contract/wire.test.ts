import { beforeAll, describe, expect, inject, test } from "vitest";
import { recentSpan } from "#lib/features/analytics/policy.ts";
import { type AppClient, clientOf } from "#tests/support/app-client.ts";
import {
  bearer,
  type Creator,
  errorBody,
  insertCreator,
  newPerson,
  openSession,
  type Session,
} from "./wire-harness.ts";

interface Call {
  id: string;
  method: "GET" | "POST" | "PUT";
  path: (creator: Creator) => string;
  body?: (creator: Creator) => unknown;
  status?: number;
  needsLogin: boolean;
  /** Other methods that the URL supports. */
  also?: string;
}

const pinterest = (rest: string) => `/api/users/pinterest/${rest}`;
const read = (id: string, path: Call["path"], also = ""): Call => ({ id, method: "GET", path, needsLogin: true, also });
const write = (id: string, method: "POST" | "PUT", path: string, body: Call["body"] = () => ({})): Call => ({
  id,
  method,
  path: () => path,
  body,
  needsLogin: true,
});

const lastWeek = (): string => {
  const { firstDay, lastDay } = recentSpan(new Date(), 7);
  return `start_date=${firstDay}&end_date=${lastDay}`;
};

const registration = () => {
  const person = newPerson();
  return { ...person, confirmPassword: person.password };
};

/** Every documented call; the last one deletes what the others need. */
const CALLS: Call[] = [
  { ...write("R-API-01", "POST", "/api/users/register/", registration), needsLogin: false, status: 201 },
  {
    ...write("R-API-02", "POST", "/api/users/login/", ({ user }) => ({
      email: user.email,
      password: "correct horse 1",
    })),
    needsLogin: false,
  },
  read("R-API-03", () => "/api/users/checkAuth/"),
  read("R-API-04", () => "/api/users/credits/"),
  read("credit history", () => "/api/users/credits/history/"),
  read("R-API-05", () => pinterest("accounts/"), "PUT"),
  read("R-API-07", ({ accountId }) => pinterest(`auth/?account_id=${accountId}`)),
  read("R-API-08", ({ accountId }) => pinterest(`boards/${accountId}/`)),
  ...["", "top-pins/", "report/"].map((place) =>
    read(`A-83 results ${place}`, ({ accountId }) => pinterest(`results/${accountId}/${place}?${lastWeek()}`)),
  ),
  write("R-API-10", "POST", pinterest("generate-pins/"), ({ accountId, boardId }) => ({
    pinterest_account: accountId,
    board_id: boardId,
    quality: "standard",
    keyword_data: [{ keyword: "fern", url: null }],
  })),
  read("R-API-11", ({ groupId }) => pinterest(`track-pin-generation/?group_id=${groupId}`)),
  read("R-API-12", ({ accountId }) => pinterest(`generated-pins/${accountId}/?status=draft`)),
  write("R-API-13", "POST", pinterest("batch-publish-pins/"), ({ pinIds }) => ({
    post_ids: pinIds.slice(0, 1),
    interval_minutes: 60,
  })),
  {
    ...write("R-API-23", "POST", "/api/users/save_tiktok_videos/", () => ({
      videos: [{ video_url: "https://www.tiktok.com/@moss/video/7300000000000000002" }],
    })),
    also: "GET",
  },
  read("R-API-24", () => "/api/users/save_tiktok_videos/", "POST"),
  read("R-API-14", () => "/api/users/me/"),
  write("A-10", "POST", "/api/users/verify-email/resend/"),
  read("R-API-15", () => "/api/users/subscription/"),
  read("R-API-16", () => "/api/users/payments/"),
  { ...write("R-API-17", "POST", "/api/users/subscription/cancel/"), status: 409 },
  {
    ...write("R-API-19", "POST", "/api/users/contact/", ({ user }) => ({
      name: "Ada",
      email: user.email,
      subject: "Hello",
      message: "Hello.",
    })),
    needsLogin: false,
  },
  {
    ...write("R-API-20", "POST", "/api/users/password-reset/", ({ user }) => ({ email: user.email })),
    needsLogin: false,
  },
  { ...write("R-API-21", "POST", "/api/users/password-reset-confirm/"), needsLogin: false, status: 400 },
  read("export", () => "/api/users/export/"),
  { ...write("R-API-06", "PUT", pinterest("accounts/"), ({ accountId }) => ({ accountId })), also: "GET" },
];

const named = CALLS.map((call) => [`${call.id} ${call.method}`, call] as const);
const withLogin = named.filter(([, { needsLogin }]) => needsLogin);
const unslashed = (path: string) => path.replace(/\/(\?|$)/, "$1");

let client: AppClient;
let creators: [Creator, Creator];
let session: Session;

beforeAll(async () => {
  client = clientOf(inject("app"));
  creators = [await insertCreator(client), await insertCreator(client)];
  session = await openSession(client);
}, 120_000);

const send = (call: Call, creator: Creator, headers: Record<string, string>, path = call.path(creator)) =>
  client.callApp(path, {
    method: call.method,
    headers,
    ...(call.body && { body: call.body(creator) }),
  });

describe("R-API-30 without an active login", () => {
  test.each(withLogin)("R-API-30 %s answers 401", async (_, call) => {
    const unknown = await openSession(client);
    await client.callApp("/api/auth/logout/", { method: "POST", headers: bearer(unknown.token) });
    const cookieToken = session.cookie.split("=")[1] ?? "";
    expect(cookieToken.length).toBeGreaterThan(100);
    const attempts: Record<string, Record<string, string>> = {
      "nothing at all": {},
      garbage: bearer("not.a.token"),
      "a very long token": bearer("x".repeat(5_000)),
      "an empty bearer": { authorization: "Bearer " },
      "another scheme": { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` },
      "a token that was changed": bearer(`${session.token.slice(0, -4)}AAAA`),
      "a login that ended": bearer(unknown.token),
      "the cookie of a login that ended": { cookie: unknown.cookie },
      "a cookie's token as bearer": bearer(cookieToken),
      "an access token as cookie": { cookie: `next-auth.session-token=${session.token}` },
      "a dead bearer beside a good cookie": { ...bearer("x"), cookie: session.cookie },
    };
    for (const [what, headers] of Object.entries(attempts)) {
      const answer = await send(call, creators[0], headers);
      expect([what, answer.status, answer.json]).toEqual([what, 401, errorBody("unauthenticated")]);
      expect(answer.headers.get("x-request-id")).toBe(Object(answer.json).request_id);
    }
  });
});

describe("statuses of unknown routes", () => {
  test.each(named)("%s responds with a documented 405 to other methods", async (_, call) => {
    const own = [call.method, call.also].filter(Boolean);
    const path = call.path(creators[0]);
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((name) => !own.includes(name))) {
      const answer = await client.callApp(path, { method, headers: bearer(session.token) });
      expect([method, answer.status, answer.json]).toEqual([method, 405, errorBody("method_not_allowed")]);
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(own.sort());
    }
  });

  test("unknown paths below /api respond with a documented 404", async () => {
    const paths = ["/api", "/api/", "/api/nope", "/api/users", "/api/users/", pinterest("boards/"), "/api/users/me/x/"];
    for (const path of paths) {
      for (const options of [{}, { method: "POST", body: "{" }, { method: "DELETE" }, { headers: bearer("x") }]) {
        const answer = await client.callApp(path, options);
        expect([path, answer.status, answer.json]).toEqual([path, 404, errorBody("not_found")]);
      }
    }
  });

  test("HEAD responds like GET, without a body", async () => {
    const { callApp } = client;
    const path = pinterest(`track-pin-generation/?group_id=${creators[0].groupId}`);
    expect(await creators[0].user.call(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    expect((await callApp(path, { method: "HEAD" })).status).toBe(401);
  });
});

describe("paths", () => {
  test.each(named)("%s works with and without the slash and never redirects", async (_, call) => {
    for (const [index, creator] of creators.entries()) {
      const path = index === 0 ? call.path(creator) : unslashed(call.path(creator));
      expect(path.includes("/?") || path.endsWith("/")).toBe(index === 0);
      const answer = call.needsLogin
        ? await creator.user.call(path, { method: call.method, ...(call.body && { body: call.body(creator) }) })
        : await send(call, creator, {}, path);
      expect([path, answer.status, answer.text]).toEqual([path, call.status ?? 200, expect.any(String)]);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
      expect(answer.headers.get("location")).toBeNull();
    }
  });
});
