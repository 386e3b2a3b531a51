import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { clientOf } from "#tests/support/app-client.ts";
import { type LiveReader, readLive } from "#tests/support/live-reader.ts";
import { until } from "#tests/support/poll.ts";
import { act } from "./wire-act.ts";
import { databaseAt } from "./wire-database.ts";
import {
  bearer,
  type Creator,
  errorBody,
  insertCreator,
  openSession,
  type Session,
  sessionCookieIn,
} from "./wire-harness.ts";

const EVENTS = "/api/users/events/";
const database = databaseAt(() => inject("app").databaseUrl);
const client = () => clientOf(inject("app"));

const open: { reader: LiveReader; abort: AbortController }[] = [];

interface Asking {
  headers: Record<string, string>;
  path?: string;
}

/** Opens the stream over the network and waits for its first event. */
const listen = async ({ headers, path = EVENTS }: Asking, first = "alive") => {
  const abort = new AbortController();
  const response = await fetch(`${inject("app").baseUrl}${path}`, { headers, signal: abort.signal });
  if (!response.body || response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  const reader = readLive(response.body);
  open.push({ reader, abort });
  const { id } = await reader.find(first);
  return { reader, response, abort, position: id };
};

afterEach(async () => {
  for (const { reader, abort } of open.splice(0)) {
    abort.abort();
    await reader.untilOver();
  }
});

/** A creator whose pins change, with their session. */
let creator: Creator;
let owner: { token: string; cookie: string };
let stranger: Session;

beforeAll(async () => {
  creator = await insertCreator(client(), 1);
  const body = { email: creator.user.email, password: "correct horse 1" };
  const answer = await client().callApp("/api/users/login/", { method: "POST", body });
  owner = { token: String(Object(answer.json).accessToken), cookie: sessionCookieIn(answer.headers) };
  stranger = await openSession(client());
}, 120_000);

let counter = 0;

/** Changes the pin's title by SQL; the trigger fires as it does for any use case. */
const retitle = async (): Promise<string> => {
  counter += 1;
  const title = `Title ${counter}`;
  await database()`update pins set title = ${title} where id = ${creator.pinIds[0] ?? ""}`;
  return title;
};

const hasTitle = (title: string) => (data: Record<string, unknown>) => data.title === title;

describe("GET /api/users/events/", { timeout: 60_000 }, () => {
  test("R-TRK-03 sends uncached, unbuffered server-sent events, with and without the slash", async () => {
    for (const path of [EVENTS, EVENTS.slice(0, -1)]) {
      const { response } = await listen({ headers: bearer(owner.token), path });
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
      expect(response.headers.get("x-accel-buffering")).toBe("no");
      expect(response.headers.get("content-encoding")).toBeNull();
      expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    }
  });

  test("R-API-30 sends a post in the documented shape, by bearer and by cookie, to its owner only", async () => {
    const byBearer = await listen({ headers: bearer(owner.token) });
    const byCookie = await listen({ headers: { cookie: owner.cookie } });
    const foreign = await listen({ headers: bearer(stranger.token) });
    const title = await retitle();
    const { json } = await creator.user.call(`/api/users/pinterest/generated-pins/${creator.accountId}/`);
    for (const { reader, position } of [byBearer, byCookie]) {
      const { id, data } = await reader.find("post", hasTitle(title));
      expect(id).toBeGreaterThan(position);
      expect(data).toEqual(Object(json).posts[0]);
    }
    // Reading credits for the first time grants the allowance, so the other user gets an event.
    await client().callApp("/api/users/credits/", { headers: bearer(stranger.token) });
    await foreign.reader.find("credits", ({ available_credits }) => available_credits === 5);
    const kinds = new Set(foreign.reader.events.map(({ event }) => event));
    expect([...kinds].toSorted()).toEqual(["alive", "credits"]);
  });

  test("R-TRK-14 sends each generation step with the task in the documented shape", async () => {
    const { reader } = await listen({ headers: bearer(owner.token) });
    const started = await creator.user.call("/api/users/pinterest/generate-pins/", {
      method: "POST",
      body: {
        pinterest_account: creator.accountId,
        board_id: creator.boardId,
        quality: "standard",
        keyword_data: [{ keyword: "live moss", url: null }],
      },
    });
    const { group_id } = Object(started.json);
    const finished = await reader.find("group", (data) => data.group_id === group_id && data.finished === true);
    expect(finished.data).toEqual({ group_id, total_tasks: 1, quality: "standard", finished: true });
    const task = await reader.find("task", (data) => data.group_id === group_id && data.status === "SUCCESS");
    const tracking = await creator.user.call(`/api/users/pinterest/track-pin-generation/?group_id=${group_id}`);
    expect(task.data).toEqual({ group_id, ...Object(tracking.json).tasks[0] });
    await reader.find("post", (data) => data.keyword === "live moss" && data.status === "draft");
    await reader.find("credits", (data) => typeof data.available_credits === "number");
  });

  test("resumes after the last event, by header or query; the header wins", async () => {
    const first = await listen({ headers: bearer(owner.token) });
    first.abort.abort();
    await first.reader.untilOver();
    const missed = await retitle();
    const requested: Asking[] = [
      { headers: { ...bearer(owner.token), "last-event-id": String(first.position) } },
      { headers: bearer(owner.token), path: `${EVENTS}?after=${first.position}` },
      {
        headers: { ...bearer(owner.token), "last-event-id": String(first.position) },
        path: `${EVENTS}?after=${first.position + 1_000_000}`,
      },
    ];
    for (const asking of requested) {
      const { reader, position } = await listen(asking);
      expect(position).toBe(first.position);
      await reader.find("post", hasTitle(missed));
    }
    const fresh = await listen({ headers: bearer(owner.token) });
    const next = await retitle();
    await fresh.reader.find("post", hasTitle(next));
    expect(fresh.reader.events.some(({ data }) => data.title === missed)).toBe(false);
  });

  test("an unknown position gets a reset and starts at the present", async () => {
    const path = `${EVENTS}?after=999999999999`;
    const { reader, position } = await listen({ headers: bearer(owner.token), path }, "reset");
    const title = await retitle();
    expect((await reader.find("post", hasTitle(title))).id).toBeGreaterThan(position);
  });

  test.each(["x", "-1", "1.5", "1e3", "9".repeat(30), "' or 1=1 --"])(
    "R-API-30 the position %s is 400",
    async (after) => {
      const answers = [
        await client().callApp(`${EVENTS}?after=${encodeURIComponent(after)}`, { headers: bearer(owner.token) }),
        await client().callApp(EVENTS, { headers: { ...bearer(owner.token), "last-event-id": after } }),
      ];
      for (const { status, json } of answers) expect([status, json]).toMatchObject([400, { code: "invalid" }]);
    },
  );

  test("R-API-30 requires an active login and GET; HEAD opens no stream", async () => {
    const nobodys: Record<string, string>[] = [{}, bearer("x.y"), { cookie: "next-auth.session-token=x" }];
    for (const headers of nobodys) {
      const answer = await client().callApp(EVENTS, { headers });
      expect([answer.status, answer.json]).toEqual([401, errorBody("unauthenticated")]);
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await client().callApp(EVENTS, { method, headers: bearer(owner.token) });
      expect([answer.status, answer.json, answer.headers.get("allow")]).toEqual([
        405,
        errorBody("method_not_allowed"),
        "GET",
      ]);
    }
    const head = await client().callApp(EVENTS, { method: "HEAD", headers: bearer(owner.token) });
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([
      200,
      "",
      "text/event-stream; charset=utf-8",
    ]);
  });

  test("R-SRV-09 allows ten streams per user; the eleventh is 429 until one is closed", async () => {
    const { token } = await openSession(client());
    const streams = [];
    for (let n = 0; n < 10; n += 1) streams.push(await listen({ headers: bearer(token) }));
    const refused = await client().callApp(EVENTS, { headers: bearer(token) });
    expect([refused.status, refused.json]).toEqual([
      429,
      errorBody("too_many", "You have 10 live connections open. Close one and try again."),
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    streams[0]?.abort.abort();
    await until(() => listen({ headers: bearer(token) }), { deadlineMs: 20_000, what: "a free connection" });
  });

  test("R-NAV-08 logging out ends the streams of that login only", async () => {
    const leaving = await openSession(client());
    const ended = await listen({ headers: bearer(leaving.token) });
    const others = await listen({ headers: bearer(owner.token) });
    await client().callApp("/api/auth/logout/", { method: "POST", headers: bearer(leaving.token) });
    await ended.reader.untilOver();
    const title = await retitle();
    await others.reader.find("post", hasTitle(title));
    expect(others.reader.isOver).toBe(false);
  });

  test("a new password ends the streams that its login's earlier token opened", async () => {
    const session = await openSession(client());
    const { reader } = await listen({ headers: bearer(session.token) });
    const headers = { cookie: session.cookie, origin: inject("app").baseUrl };
    const { result } = await act(client(), "changePasswordAction", { newPassword: "Fresh-Moss-42!" }, headers);
    expect(result).toMatchObject({ ok: true });
    await reader.untilOver();
    const refused = await client().callApp("/api/users/events/", { headers: bearer(session.token) });
    expect(refused.status).toBe(401);
    const again = await listen({ headers: bearer(result.value.accessToken) });
    expect(again.reader.isOver).toBe(false);
  });
});
