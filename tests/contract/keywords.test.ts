import { describe, expect, test } from "vitest";
import { callApp, connectOverHttp, signUp } from "#tests/support/contract-client.ts";

const ABSENT = { account: `acc_${"0".repeat(26)}`, list: `kwl_${"0".repeat(26)}`, keyword: `kwd_${"0".repeat(26)}` };
const LISTS = "/api/users/pinterest/keyword-lists/";
const DAY = /^\d{4}-\d\d-\d\d$/;

const trendsAt = (id: string, query = "") => `/api/users/pinterest/keyword-trends/${id}/${query}`;
const relatedAt = (id: string, query = "?term=bread") => `/api/users/pinterest/related-keywords/${id}/${query}`;

const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});
const isDay = expect.stringMatching(DAY);
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("GET /api/users/pinterest/keyword-trends/{accountId}/", () => {
  test("returns trends in exactly this shape, with and without the slash", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const query = "?region=GB%2BIE&trend_type=seasonal&include_keywords=pumpkin";
    for (const path of [trendsAt(id, query), trendsAt(id, query).replace("/?", "?")]) {
      const { status, json } = await user.call(path);
      expect(status).toBe(200);
      expect(json).toEqual({
        region: "GB+IE",
        trend_type: "seasonal",
        trends: [
          {
            keyword: "pumpkin soup recipe",
            growth: { week: expect.any(Number), month: expect.any(Number), year: 10_001 },
            weeks: Array.from({ length: 52 }, () => ({ end_day: isDay, value: expect.any(Number) })),
            forecast: Array.from({ length: 13 }, () => ({ end_day: isDay, value: expect.any(Number) })),
            season: { peak_day: isDay, publish_from: isDay, publish_to: isDay },
            own_pins: null,
          },
        ],
        fetched_at: isTime,
      });
    }
  });

  test("refuses unknown filters and accounts, and calls without a login", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const wrong = await user.call(trendsAt(id, "?region=XX"));
    expect([wrong.status, wrong.json]).toEqual([
      400,
      { ...errorBody("invalid"), fields: { region: [expect.any(String)] } },
    ]);
    const absent = await user.call(trendsAt(ABSENT.account));
    expect([absent.status, absent.json]).toEqual([404, errorBody("not_found")]);
    expect((await callApp(trendsAt(id))).status).toBe(401);
  });
});

describe("GET /api/users/pinterest/related-keywords/{accountId}/", () => {
  test("says that the app has no access to related keywords", async () => {
    const user = await signUp();
    const { id } = await connectOverHttp(user);
    const { status, json } = await user.call(relatedAt(id));
    expect([status, json]).toEqual([422, errorBody("refused", expect.stringMatching(/only provides them to apps/))]);
    expect((await user.call(relatedAt(id, ""))).status).toBe(400);
    expect((await callApp(relatedAt(id))).status).toBe(401);
  });
});

test("GET /api/users/pinterest/keyword-suggestions/{accountId}/ completes a keyword", async () => {
  const user = await signUp();
  const { id } = await connectOverHttp(user);
  await user.call(LISTS, { method: "POST", body: { name: "Fall", keywords: ["Pumpkin porch", "rye"] } });
  const path = `/api/users/pinterest/keyword-suggestions/${id}/`;
  const { status, json } = await user.call(`${path}?text=pumpkin`);
  const found = ["Pumpkin porch", ...Object(json).keywords.slice(1)];
  expect([status, json]).toEqual([200, { keywords: found, problem: null }]);
  expect(found.slice(1)).toContain("pumpkin soup recipe");
  expect((await user.call(`${path}?text=pu`)).status).toBe(400);
  expect((await callApp(`${path}?text=pumpkin`)).status).toBe(401);
});

describe("/api/users/pinterest/keyword-lists/", () => {
  test("saves, lists, reads, and removes keywords", async () => {
    const user = await signUp();
    expect((await user.call(LISTS)).json).toEqual({ lists: [] });
    const body = { name: "Winter baking", keywords: ["rye", "stollen"] };
    const saved = await user.call(LISTS, { method: "POST", body });
    const list = { id: expect.stringMatching(/^kwl_/), name: "Winter baking", keywords: 2, created_at: isTime };
    const item = (keyword: string) => ({ id: expect.stringMatching(/^kwd_/), keyword, saved_on: isDay });
    expect([saved.status, saved.json]).toEqual([200, { ...list, items: [item("rye"), item("stollen")] }]);
    const { id, items } = Object(saved.json);
    expect((await user.call(LISTS, { method: "POST", body })).json).toEqual(saved.json);
    expect((await user.call(LISTS)).json).toEqual({ lists: [list] });
    const at = `${LISTS}${id}/`;
    expect((await user.call(at)).json).toEqual(saved.json);
    const { id: account } = await connectOverHttp(user);
    const withPins = { ...list, items: ["rye", "stollen"].map((keyword) => ({ ...item(keyword), own_pins: null })) };
    expect((await user.call(`${at}?account=${account}`)).json).toEqual(withPins);
    const absent = await user.call(`${at}?account=${ABSENT.account}`);
    expect([absent.status, absent.json]).toEqual([404, errorBody("not_found")]);
    const removed = await user.call(`${at}keywords/${items[0].id}/`, { method: "DELETE" });
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await user.call(at)).json).toEqual({ ...list, keywords: 1, items: [item("stollen")] });
    expect((await user.call(at, { method: "DELETE" })).status).toBe(204);
    expect((await user.call(at)).status).toBe(404);
  });

  test("refuses what is missing or unknown, and calls without a login", async () => {
    const user = await signUp();
    const unnamed = await user.call(LISTS, { method: "POST", body: { keywords: ["rye"] } });
    expect([unnamed.status, unnamed.json]).toEqual([
      400,
      { ...errorBody("invalid"), fields: { name: ["Enter a name for the list."] } },
    ]);
    for (const path of [`${LISTS}${ABSENT.list}/`, `${LISTS}${ABSENT.list}/keywords/${ABSENT.keyword}/`]) {
      expect((await user.call(path, { method: "DELETE" })).status).toBe(404);
    }
    expect((await callApp(LISTS)).status).toBe(401);
  });
});
