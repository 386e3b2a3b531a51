import { describe, expect, test } from "vitest";
import { scriptedPinterest } from "#tests/support/scripted-pinterest.ts";

const SPAN = { firstDay: "2026-11-01", lastDay: "2026-11-04" };

const numbers = (impressions: unknown, clicks: unknown = 2) => ({
  IMPRESSION: impressions,
  PIN_CLICK: 4,
  OUTBOUND_CLICK: clicks,
  SAVE: 1,
  ENGAGEMENT: 7,
});
const day = (date: string, metrics: unknown = numbers(100), data_status: unknown = "READY") => ({
  date,
  data_status,
  metrics,
});
const report = (...daily_metrics: unknown[]) => ({ all: { summary_metrics: {}, daily_metrics } });

const readOnePin = async (...days: unknown[]) => {
  const { client } = await scriptedPinterest({ json: report(...days) });
  const answer = await client.readPinAnalytics("t", "81", SPAN);
  if (answer.kind === "problem") throw new Error(answer.problem.text);
  return answer.value;
};

describe("requests", () => {
  test("A-83 each requests what it needs, with the token, in one call", async () => {
    const { client, seen } = await scriptedPinterest();
    await client.readAccountAnalytics("t", SPAN);
    await client.readTopPins("t", { ...SPAN, sortBy: "outboundClicks", count: 12 });
    await client.readPinAnalytics("t", "8/1", SPAN);
    await client.readPinsAnalytics("t", ["81", "82"], SPAN);
    const dates = { start_date: "2026-11-01", end_date: "2026-11-04" };
    expect(seen.map(({ path, query }) => [path, query])).toEqual([
      ["/v5/user_account/analytics", { ...dates, metric_types: "ENGAGEMENT,IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE" }],
      [
        "/v5/user_account/analytics/top_pins",
        {
          ...dates,
          sort_by: "OUTBOUND_CLICK",
          num_of_pins: "12",
          metric_types: "ENGAGEMENT,IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE",
        },
      ],
      ["/v5/pins/8%2F1/analytics", { ...dates, metric_types: "IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE" }],
      ["/v5/pins/analytics", { pin_ids: "81,82", ...dates, metric_types: "IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE" }],
    ]);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer t"]));
  });
});

describe("A-83 days", () => {
  test("only READY days have metrics; floats are rounded, and missing numbers are zero", async () => {
    const days = await readOnePin(
      day("2026-11-01", { IMPRESSION: 99.6 }),
      day("2026-11-02", {}, "PROCESSING"),
      day("2026-11-03", numbers(5), "ESTIMATE"),
      day("2026-11-04", numbers(5), "BEFORE_PIN_CREATED"),
    );
    expect(days).toEqual([
      { date: "2026-11-01", status: "ready", metrics: { impressions: 100, pinClicks: 0, outboundClicks: 0, saves: 0 } },
      { date: "2026-11-02", status: "processing", metrics: null },
      { date: "2026-11-03", status: "processing", metrics: null },
      { date: "2026-11-04", status: "unknown", metrics: null },
    ]);
  });

  test("are in order, unique and within the span, whatever the response", async () => {
    const days = await readOnePin(
      day("2026-11-04", numbers(4)),
      day("2026-11-02", numbers(2)),
      day("2026-11-02", numbers(999)),
      day("2026-10-31", numbers(999)),
      day("2027-01-01", numbers(999)),
      day("tomorrow", numbers(999)),
      null,
      "a day",
    );
    expect(days.map(({ date, metrics }) => [date, metrics?.impressions])).toEqual([
      ["2026-11-01", undefined],
      ["2026-11-02", 2],
      ["2026-11-03", undefined],
      ["2026-11-04", 4],
    ]);
  });

  test.each([
    ["a negative number", numbers(-1)],
    ["a negative number beside good ones", numbers(10, -0.5)],
    ["more than anybody has", numbers(9e15)],
    ["a text", numbers("12")],
    ["nothing of impressions", { SAVE: 3 }],
    ["null for impressions", numbers(null)],
    ["no metrics", undefined],
    ["metrics of another kind", [1, 2]],
  ])("with %s count as unknown, and the others stay", async (_, metrics) => {
    const days = await readOnePin({ ...day("2026-11-01"), metrics }, day("2026-11-02"));
    expect(days.map(({ status }) => status)).toEqual(["unknown", "ready", "unknown", "unknown"]);
  });

  test.each([
    ["a word we do not know", "ALMOST"],
    ["nothing", undefined],
    ["null", null],
    ["small letters", "ready"],
  ])("whose status is %s have no metrics", async (_, status) => {
    const days = await readOnePin({ ...day("2026-11-01"), data_status: status }, day("2026-11-02"));
    expect(days.map((one) => one.metrics !== null)).toEqual([false, true, false, false]);
  });

  test("of an account include engagements", async () => {
    const { client } = await scriptedPinterest({ json: report(day("2026-11-03", numbers(3e9))) });
    const answer = await client.readAccountAnalytics("t", SPAN);
    expect(answer.kind === "ok" && answer.value[2]).toEqual({
      date: "2026-11-03",
      status: "ready",
      metrics: { impressions: 3e9, engagements: 7, pinClicks: 4, outboundClicks: 2, saves: 1 },
    });
  });
});

describe("A-83 many pins in one call", () => {
  test("missing and unreadable pins are left out; the others stay", async () => {
    const json = { "81": report(day("2026-11-01")), "82": "soon", "83": { all: {} }, "999": report(day("2026-11-01")) };
    const { client } = await scriptedPinterest({ json });
    const answer = await client.readPinsAnalytics("t", ["81", "82", "83", "84"], SPAN);
    if (answer.kind === "problem") throw new Error(answer.problem.text);
    expect([...answer.value.keys()]).toEqual(["81"]);
    expect(answer.value.get("81")?.map(({ status }) => status)).toEqual(["ready", "unknown", "unknown", "unknown"]);
  });

  test("a refusal of the beta does not affect the connection", async () => {
    const json = { code: 3, message: "This is a restricted feature that your app may not use." };
    const { client } = await scriptedPinterest({ status: 401, json });
    expect(await client.readPinsAnalytics("t", ["81"], SPAN)).toMatchObject({ problem: { kind: "restricted" } });
  });
});

describe("A-83 top pins", () => {
  test("keep their ranking; those that are not final or unreadable are left out", async () => {
    const pin = (pin_id: unknown, metrics: unknown, status?: unknown) => ({ pin_id, metrics, data_status: status });
    const json = {
      pins: [
        pin("3", numbers(30), { IMPRESSION: "READY", SAVE: "READY" }),
        pin("2", numbers(20), { IMPRESSION: "READY", SAVE: "PROCESSING" }),
        pin(7, numbers(15), { IMPRESSION: "READY" }),
        pin("4", numbers(-4), { IMPRESSION: "READY" }),
        pin("1", numbers(10)),
        null,
      ],
      sort_by: "IMPRESSION",
    };
    const { client } = await scriptedPinterest({ json });
    const answer = await client.readTopPins("t", { ...SPAN, sortBy: "impressions", count: 12 });
    expect(answer.kind === "ok" && answer.value).toEqual([
      {
        pinterestPinId: "3",
        metrics: { impressions: 30, engagements: 7, pinClicks: 4, outboundClicks: 2, saves: 1 },
      },
      {
        pinterestPinId: "1",
        metrics: { impressions: 10, engagements: 7, pinClicks: 4, outboundClicks: 2, saves: 1 },
      },
    ]);
  });
});

describe("A-83 limits and faults", () => {
  test.each([
    [{}, null],
    [{ "x-ratelimit-remaining": "57" }, null],
    [
      { "x-ratelimit-remaining": '57, 99;w=1;name="a"', "x-ratelimit-reset": "31" },
      { calls: 57, resetSeconds: 31 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999" },
      { calls: 0, resetSeconds: 86_400 },
    ],
    [{ "x-ratelimit-remaining": "many", "x-ratelimit-reset": "31" }, null],
  ])("reads the remaining calls from %j", async (headers: Record<string, string>, callsLeft) => {
    const { client } = await scriptedPinterest({ json: report(), headers });
    expect(await client.readPinAnalytics("t", "81", SPAN)).toMatchObject({ kind: "ok", callsLeft });
  });

  test("a rate limit says when calls are allowed again", async () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "31" };
    const { client } = await scriptedPinterest({ status: 429, json: { code: 8, message: "limit" }, headers });
    expect(await client.readPinAnalytics("t", "81", SPAN)).toMatchObject({
      problem: { kind: "rate_limited", retryAfterSeconds: 31 },
    });
  });

  test.each([
    ["no JSON", { text: "<html>hello</html>" }],
    ["torn JSON", { text: '{"all": {"daily_m' }],
    ["a list", { json: [] }],
    ["another shape", { json: { all: { daily_metrics: "none" } } }],
    ["a year and more of days", { json: report(...Array(401).fill(day("2026-11-01"))) }],
    ["a fault of theirs", { status: 503, text: "" }],
    ["a cut answer", "cut" as const],
    ["silence", "hang" as const],
  ])("%s is unavailable", async (_, answer) => {
    const { client } = await scriptedPinterest(answer, answer);
    const unavailable = { kind: "problem", problem: { kind: "unavailable" } };
    expect(await client.readPinAnalytics("t", "81", SPAN)).toMatchObject(unavailable);
    expect(await client.readAccountAnalytics("t", SPAN)).toMatchObject(unavailable);
  });
});
