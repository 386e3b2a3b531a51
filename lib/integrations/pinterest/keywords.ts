import { z } from "zod";
import { readReply, send } from "./http.ts";
import type { PinterestPort, PinterestProblem, PinterestTrend, TrendWeek } from "./port.ts";
import { decideProblem, type Refusal } from "./problems.ts";

const TRENDS_MAX = 50;
const TERMS_MAX = 100;
const TERM_MAX = 200;
const WEEKS_MAX = 120;
const GROWTH_MAX = 10_001;

const term = z.string().trim().min(1).max(TERM_MAX);

const growth = z.number().min(-GROWTH_MAX).max(GROWTH_MAX).transform(Math.round).nullable().catch(null);

const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

/** From `{day: value}`; unreadable weeks are left out. */
const series = z
  .record(z.string(), z.number().min(0).max(100).nullable().catch(null))
  .catch({})
  .transform((weeks): TrendWeek[] =>
    Object.entries(weeks)
      .flatMap(([endDay, value]) => (value !== null && isDay(endDay) ? [{ endDay, value }] : []))
      .sort((a, b) => (a.endDay < b.endDay ? -1 : 1))
      .slice(-WEEKS_MAX),
  );

const trend = z
  .object({
    keyword: term,
    pct_growth_wow: growth,
    pct_growth_mom: growth,
    pct_growth_yoy: growth,
    time_series: series,
    predicted_time_series: series,
  })
  .transform(
    (raw): PinterestTrend => ({
      keyword: raw.keyword,
      growth: { week: raw.pct_growth_wow, month: raw.pct_growth_mom, year: raw.pct_growth_yoy },
      history: raw.time_series,
      forecast: raw.predicted_time_series,
    }),
  );

/** `GET /trends/keywords/{region}/top/{trend_type}`; unreadable trends are left out. */
const trendsShape = z
  .object({ trends: z.array(trend.nullable().catch(null)) })
  .transform(({ trends }) => trends.filter((one) => one !== null).slice(0, TRENDS_MAX));

/** `GET /terms/related` */
const relatedShape = z
  .object({ related_terms_list: z.array(z.object({ related_terms: z.array(term.nullable().catch(null)) })) })
  .transform(({ related_terms_list }) =>
    related_terms_list
      .flatMap(({ related_terms }) => related_terms)
      .filter((one) => one !== null)
      .slice(0, TERMS_MAX),
  );

const FORBIDDEN = [401, 403];

/** The usual texts of a refusal name boards and pins. */
const NO_ACCESS: Pick<PinterestProblem, "kind" | "text"> = {
  kind: "restricted",
  text: "Pinterest doesn't give our app access to search data for this account.",
};

const decideWith =
  (isUsual: (problem: PinterestProblem) => boolean) =>
  (refusal: Refusal): PinterestProblem => {
    const problem = decideProblem(refusal);
    return isUsual(problem) || !FORBIDDEN.includes(refusal.status) ? problem : { ...problem, ...NO_ACCESS };
  };

const decideTrends = decideWith(({ kind }) => kind === "token_dead" || kind === "missing_scope");
// A missing scope here must not end a connection that publishes.
const decideRelated = decideWith(({ kind }) => kind === "token_dead");

type KeywordCalls = Pick<PinterestPort, "readTrends" | "readRelatedTerms">;

/** Trends count against `trends_read`, 60 per minute and user; related terms against `ads_read`. */
export const createKeywordCalls = ({ apiUrl, timeoutMs }: { apiUrl: string; timeoutMs: number }): KeywordCalls => {
  const get = (accessToken: string, path: string, query: [string, string][]) =>
    send({
      method: "GET",
      url: `${apiUrl}${path}?${new URLSearchParams(query)}`,
      headers: { authorization: `Bearer ${accessToken}` },
      timeoutMs,
    });
  const each = (name: string, values: readonly string[]) => values.map((value): [string, string] => [name, value]);

  return {
    readTrends: async (accessToken, { region, type, hasForecast, ...filters }) => {
      const path = `/trends/keywords/${encodeURIComponent(region)}/top/${encodeURIComponent(type)}`;
      const reply = await get(accessToken, path, [
        ...each("interests", filters.interests),
        ...each("genders", filters.genders),
        ...each("ages", filters.ages),
        ...each("include_keywords", filters.keywords),
        ["limit", String(TRENDS_MAX)],
        ...(hasForecast ? each("include_prediction", ["true"]) : []),
      ]);
      return readReply(reply, trendsShape, decideTrends);
    },
    readRelatedTerms: async (accessToken, input) =>
      readReply(await get(accessToken, "/terms/related", each("terms", [input])), relatedShape, decideRelated),
  };
};
