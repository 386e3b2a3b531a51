import type { Context, Hono } from "hono";
import { isSimulating } from "../kit/faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { chance, DAY_MS } from "./analytics-numbers.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { authorize, checkQuery } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

/** Keywords by interest, with the week of the year (0 to 51) of their peak, or null when they have no season. */
const KEYWORDS: readonly { keyword: string; interest: string; peakWeek: number | null }[] = [
  { keyword: "christmas tree ideas", interest: "home_decor", peakWeek: 49 },
  { keyword: "cozy cabin interior", interest: "home_decor", peakWeek: 3 },
  { keyword: "small balcony ideas", interest: "gardening", peakWeek: 18 },
  { keyword: "tomato plant care", interest: "gardening", peakWeek: 22 },
  { keyword: "sourdough bread", interest: "food_and_drinks", peakWeek: null },
  { keyword: "pumpkin soup recipe", interest: "food_and_drinks", peakWeek: 41 },
  { keyword: "summer salad recipes", interest: "food_and_drinks", peakWeek: 26 },
  { keyword: "valentine gift ideas", interest: "event_planning", peakWeek: 6 },
  { keyword: "halloween costume ideas", interest: "womens_fashion", peakWeek: 42 },
  { keyword: "linen summer outfit", interest: "womens_fashion", peakWeek: 25 },
  { keyword: "winter nails", interest: "beauty", peakWeek: 50 },
  { keyword: "natural makeup", interest: "beauty", peakWeek: null },
  { keyword: "visible mending", interest: "diy_and_crafts", peakWeek: null },
  { keyword: "easter crafts for kids", interest: "diy_and_crafts", peakWeek: 14 },
  { keyword: "wedding table flowers", interest: "wedding", peakWeek: 21 },
  { keyword: "reading nook", interest: "home_decor", peakWeek: null },
  { keyword: "weekend in lisbon", interest: "travel", peakWeek: 30 },
  { keyword: "dahlia garden", interest: "gardening", peakWeek: 33 },
];

const HISTORY_WEEKS = 52;
const FORECAST_WEEKS = 13;
const LAG_DAYS = 3;
const SOUTHERN = ["AU+NZ", "AR", "BR"];
const HALF_YEAR_WEEKS = 26;
const MODIFIERS = ["ideas", "aesthetic", "for beginners", "easy", "small", "2027", "on a budget", "diy"];

/** Search trends and related terms. The numbers depend only on the keyword, the region and the week. */
export function trendsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/trends/keywords/:region/top/:type", (c) => {
    const { account } = authorize(pinterest, c, "trends_read", ["user_accounts:read"]);
    const query = checkQuery(pinterest, c, "/trends/keywords/{region}/top/{trend_type}");
    if (account.lacksTrends) throw new ApiError(ERRORS.notPermitted);
    const hasForecast = query.include_prediction === "true";
    if (hasForecast && !pinterest.settings.trendForecasts) throw new ApiError(ERRORS.restrictedFeature);
    return c.json({ trends: isSimulating(c, "trends-none") ? [] : topTrends(pinterest, c, hasForecast) });
  });
  app.get("/terms/related", (c) => {
    authorize(pinterest, c, "ads_read", ["ads:read"]);
    checkQuery(pinterest, c, "/terms/related");
    const terms = c.req.queries("terms") ?? [];
    if (terms.some((term) => term.trim() === "")) throw new ApiError(invalidRequest("terms must not be empty"));
    const lists = terms.map((term) => ({ term, related_terms: relatedTo(term) }));
    const related_term_count = lists.reduce((sum, { related_terms }) => sum + related_terms.length, 0);
    return c.json({ id: terms[0] ?? "", related_term_count, related_terms_list: lists });
  });
  return app;
}

function topTrends({ clock }: Pinterest, c: Context<StandInEnv>, hasForecast: boolean): unknown[] {
  const [region = "", type = ""] = [c.req.param("region"), c.req.param("type")];
  const listOf = (name: string) => (c.req.queries(name) ?? []).flatMap((text) => text.split(","));
  const [interests, included] = [listOf("interests"), listOf("include_keywords").map((word) => word.toLowerCase())];
  const group = [type, ...listOf("ages"), ...listOf("genders")].join();
  const lastDay = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS - LAG_DAYS * DAY_MS;
  return KEYWORDS.filter(({ keyword }) => included.length === 0 || included.some((word) => keyword.includes(word)))
    .filter(({ interest }) => interests.length === 0 || interests.includes(interest))
    .filter(({ peakWeek }) => type !== "seasonal" || peakWeek !== null)
    .toSorted((a, b) => chance(`${group} ${a.keyword}`) - chance(`${group} ${b.keyword}`))
    .slice(0, Number(c.req.query("limit") ?? 50))
    .map(({ keyword, peakWeek }, rank) => {
      const valueAt = (endMs: number) => valueIn(keyword, seasonIn(region, peakWeek), endMs);
      return {
        keyword,
        ...growthOf(`${group} ${keyword}`, rank),
        time_series: seriesOf(lastDay - (HISTORY_WEEKS - 1) * 7 * DAY_MS, HISTORY_WEEKS, valueAt),
        ...(hasForecast && {
          has_prediction: true,
          predicted_time_series: seriesOf(lastDay + 7 * DAY_MS, FORECAST_WEEKS, valueAt),
        }),
      };
    });
}

function seasonIn(region: string, peakWeek: number | null): number | null {
  return peakWeek !== null && SOUTHERN.includes(region) ? (peakWeek + HALF_YEAR_WEEKS) % HISTORY_WEEKS : peakWeek;
}

/** Searches of a week: a hill around the peak, or about the same all year. */
function valueIn(keyword: string, peakWeek: number | null, endMs: number): number {
  const noise = chance(`${keyword} ${endMs}`);
  if (peakWeek === null) return 72 + 20 * noise;
  const yearStart = Date.UTC(new Date(endMs).getUTCFullYear(), 0, 1);
  const apart = Math.abs((endMs - yearStart) / (7 * DAY_MS) - peakWeek);
  const weeks = Math.min(apart, HISTORY_WEEKS - apart);
  return 8 + 6 * noise + 82 * Math.exp(-((weeks / 5) ** 2));
}

/** Each series has its own scale: its highest value is 100. */
function seriesOf(firstMs: number, weeks: number, valueAt: (endMs: number) => number): Record<string, number> {
  const ends = Array.from({ length: weeks }, (_, index) => firstMs + index * 7 * DAY_MS);
  const top = Math.max(...ends.map(valueAt));
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return Object.fromEntries(ends.map((end) => [dayOf(end), Math.round((valueAt(end) / top) * 100)]));
}

function growthOf(seed: string, rank: number): Record<string, number> {
  const percent = (what: string, span: number) => Math.round((chance(`${seed} ${what}`) - 0.3) * span) * 10;
  // The first one shows the number that stands for "more than 10,000 percent".
  return {
    pct_growth_wow: percent("week", 12),
    pct_growth_mom: percent("month", 40),
    pct_growth_yoy: rank === 0 ? 10_001 : percent("year", 60),
  };
}

function relatedTo(term: string): string[] {
  return MODIFIERS.toSorted((a, b) => chance(`${term} ${a}`) - chance(`${term} ${b}`)).map((word) => `${term} ${word}`);
}
