import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { startTestApp, type TestApp } from "#tests/support/app.ts";
import { type AppClient, clientOf, type SignedInUser } from "#tests/support/app-client.ts";
import { until } from "#tests/support/poll.ts";

/** The standard error body: the text under two keys, the code and the request id. */
export const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_[0-9a-z]{26}$/),
});

export type Caller = Pick<AppClient, "callApp">;

/** The fields of the sign-up form. */
export const newPerson = () => {
  const username = `w${randomBytes(7).toString("hex")}`;
  const password = `pw ${randomBytes(9).toString("hex")}`;
  return { username, first_name: "Wire", last_name: "Tap", email: `${username}@example.com`, password };
};

export type Person = ReturnType<typeof newPerson>;

/** A login through the documented call: the token, and the session cookie as a browser sends it. */
export interface Session {
  person: Person;
  token: string;
  cookie: string;
}

export const sessionCookieIn = (headers: Headers): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("next-auth.session-token="))
    ?.split(";")[0] ?? "";

export const register = ({ callApp }: Caller, person: Person) =>
  callApp("/api/users/register/", { method: "POST", body: { ...person, confirmPassword: person.password } });

export const logIn = async ({ callApp }: Caller, person: Person): Promise<Session> => {
  const { email, password } = person;
  const answer = await callApp("/api/users/login/", { method: "POST", body: { email, password } });
  const { accessToken } = Object(answer.json);
  if (typeof accessToken !== "string") throw new Error(`Login answered ${answer.status}: ${answer.text}`);
  return { person, token: accessToken, cookie: sessionCookieIn(answer.headers) };
};

/** Registers a new user and logs in. */
export const openSession = async (caller: Caller): Promise<Session> => {
  const person = newPerson();
  const answer = await register(caller, person);
  if (answer.status !== 201) throw new Error(`Register answered ${answer.status}: ${answer.text}`);
  return logIn(caller, person);
};

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const CSRF = "a-value-from-the-cookie";

/** Headers as a signed-in browser sends them from a page of this origin. */
export const browserHeaders = (cookie: string, origin: string) => ({
  cookie: `${cookie}; csrftoken=${CSRF}`,
  "x-csrftoken": CSRF,
  origin,
});

/** A user with a connected account and generated drafts. */
export interface Creator {
  user: SignedInUser;
  accountId: string;
  username: string;
  boardId: string;
  groupId: string;
  pinIds: string[];
  keywords: string[];
}

export const insertCreator = async (client: AppClient, drafts = 2): Promise<Creator> => {
  const user = await client.signUp();
  const { id: accountId, username } = await client.connectOverHttp(user);
  const { items } = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json);
  const boardId: string = items[0].id;
  const keywords = Array.from({ length: drafts }, () => `garden ${randomBytes(6).toString("hex")}`);
  const keyword_data = keywords.map((keyword) => ({ keyword, url: null }));
  const body = { pinterest_account: accountId, board_id: boardId, quality: "standard", keyword_data };
  const started = await user.call("/api/users/pinterest/generate-pins/", { method: "POST", body });
  const pinIds = await until(
    async () => {
      const { json } = await user.call(`/api/users/pinterest/generated-pins/${accountId}/`);
      const ids: string[] = Object(json).posts.map(({ id }: { id: string }) => id);
      return ids.length === drafts ? ids : undefined;
    },
    { deadlineMs: 60_000, what: "the drafts" },
  );
  return { user, accountId, username, boardId, groupId: Object(started.json).group_id, pinIds, keywords };
};

/** Starts an app with its own settings for the calling test file. */
export const appForFile = (settings: Record<string, string>): (() => TestApp & AppClient) => {
  let app: (TestApp & AppClient) | undefined;
  beforeAll(async () => {
    const started = await startTestApp({ serverUrl: inject("testServerUrl"), settings });
    app = { ...started, ...clientOf(started) };
  }, 120_000);
  afterAll(() => app?.stop());
  return () => {
    if (!app) throw new Error("The app of this file exists from beforeAll on.");
    return app;
  };
};
