import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { chance, DAY_MS } from "./analytics-numbers.ts";
import { authorize } from "./authorize.ts";
import { checkQuery } from "./boards-api.ts";
import type { Pinterest } from "./context.ts";
import { REFUSALS } from "./refusals.ts";
import { TREND_KEYWORDS, type TrendKeyword } from "./trend-keywords.ts";

const WEEKS = 52;
const PREDICTED_WEEKS = 13;
const WEEK_MS = 7 * DAY_MS;
/** Stands for "more than 10000 %". */
const BEYOND_MEASURE_PCT = 10_001;
const AGES = ["18-24", "25-34", "35-44", "45-49", "50-54", "55-64", "65+"];

/** `GET /trends/keywords/:region/top/:type`; the same week, region and type always give the same list. */
export function trendsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/trends/keywords/:region/top/:type", (c) => {
    authorize(pinterest, c, { scopes: ["user_accounts:read"], category: "trends_read" });
    const query = checkQuery(pinterest, c, "/trends/keywords/{region}/top/{trend_type}", REFUSALS.trendsInvalid);
    const { region, type } = c.req.param();
    const week = Math.floor(pinterest.clock.now().getTime() / WEEK_MS);
    const rankOf = ({ words }: TrendKeyword) => chance(`${words} ${region} ${type} ${type === "growing" ? week : ""}`);
    const found = TREND_KEYWORDS.filter((keyword) => isWanted(keyword, query))
      .sort((a, b) => rankOf(b) - rankOf(a))
      .slice(0, Number(query.limit ?? 50));
    return c.json({ trends: found.map((keyword) => toWireTrend(keyword, `${region} ${type}`, week, query)) });
  });
  return app;
}

function isWanted({ words, interest }: TrendKeyword, { interests, include_keywords }: Record<string, string>): boolean {
  const isOfInterest = interests === undefined || interests.split(",").includes(interest);
  const wanted = include_keywords?.toLowerCase().split(",");
  return isOfInterest && (wanted === undefined || wanted.some((word) => words.includes(word.trim())));
}

function toWireTrend({ words, peakMonth }: TrendKeyword, seed: string, week: number, query: Record<string, string>) {
  const growth = (span: string, most: number) => {
    const drawn = chance(`${words} ${seed} ${week} ${span}`);
    return drawn > 0.985 ? BEYOND_MEASURE_PCT : Math.round((drawn ** 3 - 0.04) * most);
  };
  const seriesFrom = (first: number, count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => {
        const date = new Date((first + index) * WEEK_MS);
        return [date.toISOString().slice(0, 10), interestAt(words, peakMonth, date)];
      }),
    );
  const hasPrediction = query.include_prediction === "true";
  return {
    keyword: words,
    pct_growth_wow: growth("wow", 120),
    pct_growth_mom: growth("mom", 400),
    pct_growth_yoy: growth("yoy", 900),
    time_series: seriesFrom(week - WEEKS + 1, WEEKS),
    has_prediction: hasPrediction,
    ...(hasPrediction && { predicted_time_series: seriesFrom(week + 1, PREDICTED_WEEKS) }),
    ...(query.include_demographics === "true" && { demographics: demographicsOf(words) }),
  };
}

/** 0 to 100: seasonal words rise around their month, the others waver. */
function interestAt(words: string, peakMonth: number | undefined, date: Date): number {
  const noise = 18 * chance(`${words} ${date.toISOString().slice(0, 10)}`);
  if (peakMonth === undefined) return Math.round(45 + noise + 20 * chance(words));
  const distance = Math.abs(((date.getUTCMonth() - peakMonth + 18) % 12) - 6);
  return Math.round(Math.min(100, 82 * Math.exp(-(distance ** 2) / 3) + noise));
}

function demographicsOf(words: string) {
  const weights = AGES.map((age) => 0.2 + chance(`${words} ${age}`));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const female = 0.5 + 0.4 * chance(`${words} female`);
  return {
    age_distribution: Object.fromEntries(AGES.map((age, index) => [age, (weights[index] ?? 0) / total])),
    gender_distribution: { female, male: 0.95 - female, unspecified: 0.05 },
  };
}
