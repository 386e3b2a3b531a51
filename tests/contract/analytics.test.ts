import { describe, expect, inject, test } from "vitest";
import { recentSpan, shiftDay } from "#lib/features/analytics/policy.ts";
import { callApp, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";

const ABSENT = `acc_${"0".repeat(26)}`;
const { firstDay, lastDay } = recentSpan(new Date(), 7);
const DAYS = `start_date=${firstDay}&end_date=${lastDay}`;

const at = (id: string, rest = "", query = DAYS) =>
  `/api/users/pinterest/results/${encodeURIComponent(id)}/${rest}?${query}`;
const PLACES = ["", "top-pins/", "report/"];

/** The same URL without the slash before its query. */
const unslashed = (path: string) => path.replace("/?", "?");

const figures = {
  impressions: expect.any(Number),
  engagements: expect.any(Number),
  pin_clicks: expect.any(Number),
  outbound_clicks: expect.any(Number),
  saves: expect.any(Number),
};

const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});

describe("GET /api/users/pinterest/results/{accountId}/", () => {
  test("A-83 returns the account's metrics in exactly this shape, with and without the slash", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    for (const path of [at(id), unslashed(at(id))]) {
      const { status, json } = await user.call(path);
      expect(status).toBe(200);
      expect(json).toEqual({
        account_id: id,
        start_date: firstDay,
        end_date: lastDay,
        ready_through: lastDay,
        sums: figures,
        before: { start_date: shiftDay(firstDay, -7), end_date: shiftDay(firstDay, -1), sums: figures },
        days: Array.from({ length: 7 }, (_, n) => ({ date: shiftDay(firstDay, n), status: "ready", figures })),
        fetched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    }
  });
});

describe("GET /api/users/pinterest/results/{accountId}/top-pins/", () => {
  test("A-83 returns the top pins in exactly this shape, with and without the slash", async () => {
    const user = await signUp();
    const { id, username } = await connectOverHttp(user);
    const pinterest = controlPinterest(inject("app").pinterestUrl);
    const [board] = await pinterest.boardsOf(username);
    const created_at = `${shiftDay(firstDay, -20)}T08:00:00.000Z`;
    const [pinterest_pin_id] = await pinterest.seedPins(username, [
      { board_id: board?.id ?? "", title: "Slow bread", created_at },
    ]);
    for (const path of [at(id, "top-pins/"), unslashed(at(id, "top-pins/", `${DAYS}&sort_by=impressions`))]) {
      const { status, json } = await user.call(path);
      expect(status).toBe(200);
      expect(json).toEqual({
        sort_by: "impressions",
        pins: [
          {
            pinterest_pin_id,
            pinterest_url: `${inject("app").pinterestUrl}/pin/${pinterest_pin_id}/`,
            figures,
            post: null,
          },
        ],
        fetched_at: expect.any(String),
      });
    }
  });
});

describe("GET /api/users/pinterest/results/{accountId}/report/", () => {
  test("A-83 returns the report in exactly this shape for every dimension, with and without the slash", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const shape = (by: string) => ({
      by,
      start_date: firstDay,
      end_date: lastDay,
      rows: [],
      ...{ more: 0, undecided: 0, uncounted: 0 },
      totals: { impressions: 0, pin_clicks: 0, outbound_clicks: 0, saves: 0 },
      gather: {
        state: "idle",
        published: 0,
        counted: 0,
        gone: 0,
        refused: 0,
        oldest_at: null,
        newest_at: null,
        resumes_at: null,
        text: null,
      },
    });
    expect(await user.call(unslashed(at(id, "report/")))).toMatchObject({ status: 200, json: shape("keyword") });
    for (const by of ["keyword", "board", "weekday", "hour", "style", "template", "link"]) {
      const { status, json } = await user.call(at(id, "report/", `${DAYS}&by=${by}`));
      expect([by, status, json]).toEqual([by, 200, shape(by)]);
    }
  });
});

describe("invalid analytics requests", () => {
  test.each(PLACES)("R-API-30 A-83 %s is 401 without a valid token", async (place) => {
    const bearer = { headers: { authorization: "Bearer not.a.token" } };
    for (const answer of [await callApp(at(ABSENT, place)), await callApp(at(ABSENT, place), bearer)]) {
      expect(answer).toMatchObject({ status: 401, json: errorBody("unauthenticated") });
    }
  });

  test.each(PLACES)("R-API-31 A-83 %s: foreign, unknown and malformed ids are 404 alike", async (place) => {
    const { id } = await connectOverHttp(await signUp());
    const stranger = await signUp();
    for (const wrong of [id, ABSENT, "1", "acc_' or '1'='1", "%00", "ACC_X"]) {
      const answer = await stranger.call(at(wrong, place));
      expect([wrong, answer.status, answer.json]).toEqual([
        wrong,
        404,
        errorBody("not_found", "We can't find this. It may have been deleted."),
      ]);
    }
  });

  test.each(PLACES)("A-83 %s: missing, invalid, reversed, too old and future dates are 400", async (place) => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const wrong = [
      "",
      `start_date=${firstDay}`,
      `start_date=${lastDay}&end_date=${firstDay}`,
      `start_date=2020-01-01&end_date=${lastDay}`,
      `start_date=${firstDay}&end_date=${shiftDay(lastDay, 400)}`,
      "start_date=2026-02-30&end_date=2026-03-01",
      "start_date=20260101&end_date=now()",
      `start_date=${"9".repeat(3_000)}&end_date=${lastDay}`,
    ];
    for (const query of wrong) {
      const answer = await user.call(at(id, place, query));
      expect([query, answer.status, Object(answer.json).code]).toEqual([query, 400, "invalid"]);
      expect(Object.keys(Object(answer.json).fields)).not.toEqual([]);
    }
  });

  test("A-83 unknown sort orders and dimensions are 400", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const bad = { status: 400, json: { code: "invalid" } };
    expect(await user.call(at(id, "report/", `${DAYS}&by=colour`))).toMatchObject(bad);
    expect(await user.call(at(id, "top-pins/", `${DAYS}&sort_by=luck`))).toMatchObject(bad);
  });

  test("A-83 an expired Pinterest token is 409 for live calls, while the report still works", async () => {
    const user = await signUp();
    const { id, username } = await connectOverHttp(user);
    await controlPinterest(inject("app").pinterestUrl).revoke(username);
    expect(await user.call(at(id))).toMatchObject({ status: 409, json: errorBody("reconnect_needed") });
    expect(await user.call(at(id, "top-pins/"))).toMatchObject({ status: 409, json: errorBody("reconnect_needed") });
    expect(await user.call(at(id, "report/"))).toMatchObject({ status: 200 });
  });

  test("A-83 other methods are 405", async () => {
    const user = await signUp();
    for (const place of PLACES) {
      const answer = await user.call(at(ABSENT, place), { method: "POST", body: {} });
      expect([place, answer.status, answer.headers.get("allow")]).toEqual([place, 405, expect.stringContaining("GET")]);
    }
  });
});
