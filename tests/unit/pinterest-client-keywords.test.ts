import { describe, expect, test } from "vitest";
import type { TrendsQuery } from "#lib/integrations/pinterest/port.ts";
import { scriptedPinterest } from "#tests/support/scripted-pinterest.ts";

const QUERY: TrendsQuery = {
  region: "GB+IE",
  type: "seasonal",
  interests: ["beauty", "travel"],
  ages: ["65+"],
  genders: ["female"],
  keywords: ["slow bread", "rye, dark"],
  hasForecast: true,
};
const ALL: TrendsQuery = { ...QUERY, interests: [], ages: [], genders: [], keywords: [], hasForecast: false };

const trend = (more: Record<string, unknown> = {}) => ({
  keyword: "slow bread",
  pct_growth_wow: 50,
  pct_growth_mom: -5,
  pct_growth_yoy: 10_001,
  time_series: { "2026-11-15": 100, "2026-11-08": 77 },
  ...more,
});

const read = async (json: unknown) => {
  const { client } = await scriptedPinterest({ json });
  return client.readTrends("t", ALL);
};

const problemKinds = async (status: number, json: unknown) => {
  const { client } = await scriptedPinterest({ status, json }, { status, json });
  const answers = [await client.readTrends("t", ALL), await client.readRelatedTerms("t", "bread")];
  return answers.map((answer) => (answer.kind === "problem" ? answer.problem.kind : answer.kind));
};

describe("requests", () => {
  test("lists are sent as repeated parameters, a region with its plus sign encoded, and no empty filter", async () => {
    const { client, seen } = await scriptedPinterest();
    await client.readTrends("t", QUERY);
    await client.readTrends("t", ALL);
    await client.readRelatedTerms("t", "slow bread");
    expect(seen.map(({ path, queries }) => [path, queries])).toEqual([
      [
        "/v5/trends/keywords/GB%2BIE/top/seasonal",
        {
          interests: ["beauty", "travel"],
          ages: ["65+"],
          genders: ["female"],
          include_keywords: ["slow bread", "rye, dark"],
          limit: ["50"],
          include_prediction: ["true"],
        },
      ],
      ["/v5/trends/keywords/GB%2BIE/top/seasonal", { limit: ["50"] }],
      ["/v5/terms/related", { terms: ["slow bread"] }],
    ]);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer t"]));
  });
});

describe("responses", () => {
  test("weeks are sorted by day, and a forecast is optional", async () => {
    const forecast = { predicted_time_series: { "2026-11-29": 40, "2026-11-22": 60 }, has_prediction: true };
    expect(await read({ trends: [trend(), trend({ keyword: "rye", ...forecast })] })).toEqual({
      kind: "ok",
      value: [
        {
          keyword: "slow bread",
          growth: { week: 50, month: -5, year: 10_001 },
          history: [
            { endDay: "2026-11-08", value: 77 },
            { endDay: "2026-11-15", value: 100 },
          ],
          forecast: [],
        },
        expect.objectContaining({
          keyword: "rye",
          forecast: [
            { endDay: "2026-11-22", value: 60 },
            { endDay: "2026-11-29", value: 40 },
          ],
        }),
      ],
    });
  });

  test("unreadable trends, weeks, and numbers are left out", async () => {
    const weeks = { "2026-11-15": 101, "2026-11-08": "7", "2026-13-01": 5, soon: 5, "2026-11-01": 5 };
    const odd = trend({ pct_growth_wow: null, pct_growth_mom: "50", pct_growth_yoy: 1e9, time_series: weeks });
    const answer = await read({ trends: [null, { keyword: "" }, "rye", odd, trend({ time_series: null })] });
    expect(answer).toEqual({
      kind: "ok",
      value: [
        {
          keyword: "slow bread",
          growth: { week: null, month: null, year: null },
          history: [{ endDay: "2026-11-01", value: 5 }],
          forecast: [],
        },
        expect.objectContaining({ history: [] }),
      ],
    });
  });

  test("at most 50 trends count; a response of another shape is a problem", async () => {
    const many = await read({ trends: Array.from({ length: 60 }, (_, n) => trend({ keyword: `k${n}` })) });
    expect(many.kind === "ok" && many.value.length).toBe(50);
    expect(await read({ items: [] })).toMatchObject({ kind: "problem", problem: { kind: "unavailable" } });
  });

  test("related terms of all lists are one list", async () => {
    const json = { related_terms_list: [{ term: "bread", related_terms: ["rye bread", "", 5, "slow bread"] }] };
    const { client } = await scriptedPinterest({ json });
    expect(await client.readRelatedTerms("t", "bread")).toEqual({ kind: "ok", value: ["rye bread", "slow bread"] });
  });
});

describe("refusals", () => {
  const missing = { code: 29, message: "Missing: ['ads:read']" };

  test.each([
    ["a dead token", 401, { code: 2, message: "Authentication failed." }, ["token_dead", "token_dead"]],
    ["a closed beta", 401, { code: 3, message: "restricted feature" }, ["restricted", "restricted"]],
    ["no permission", 403, { code: 29, message: "You are not permitted." }, ["restricted", "restricted"]],
    ["a missing scope ends the connection for trends only", 403, missing, ["missing_scope", "restricted"]],
    ["too many calls", 429, { code: 8, message: "rate limit" }, ["rate_limited", "rate_limited"]],
    ["an outage", 503, { code: 503, message: "" }, ["unavailable", "unavailable"]],
  ])("%s", async (_, status, json, kinds) => {
    expect(await problemKinds(status, json)).toEqual(kinds);
  });

  test("a refusal does not mention boards or pins", async () => {
    const { client } = await scriptedPinterest({ status: 403, json: { code: 29, message: "No." } });
    const answer = await client.readTrends("t", ALL);
    expect(answer.kind === "problem" && answer.problem.text).toMatch(/access to search data for this account/);
  });
});
