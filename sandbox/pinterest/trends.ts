import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { chance, DAY_MS } from "./analytics-numbers.ts";
import { authorize } from "./authorize.ts";
import { checkQuery } from "./boards.ts";
import { REFUSALS } from "./refusals.ts";
import type { Pinterest } from "./wire.ts";

/** A keyword people search for. `peakMonth` (0 to 11) is when, if it has a season. */
interface TrendKeyword {
  words: string;
  interest: string;
  peakMonth?: number;
}

const of = (interest: string, ...texts: string[]): TrendKeyword[] =>
  texts.map((text) => {
    const [words = "", month] = text.split("@");
    return { words, interest, ...(month !== undefined && { peakMonth: Number(month) }) };
  });

/** What the stand-in's Pinterest is looking for. */
const TREND_KEYWORDS: readonly TrendKeyword[] = [
  ...of("home_decor", "small bathroom storage", "limewash bedroom", "entryway bench ideas", "fall mantel decor@9"),
  ...of(
    "home_decor",
    "reading nook ideas",
    "christmas tree corner@11",
    "apartment balcony makeover@4",
    "pantry labels",
  ),
  ...of("gardening", "raised bed layout@2", "cottage garden border@4", "balcony herbs@3", "dahlia care@7"),
  ...of("gardening", "winter window boxes@11", "shade plants", "compost for beginners", "seed starting indoors@1"),
  ...of("food_and_drinks", "sheet pan dinners", "pumpkin soup@9", "overnight oats", "sourdough discard recipes"),
  ...of("food_and_drinks", "picnic food@5", "christmas cookies@11", "high protein breakfast", "lemon pasta"),
  ...of("diy_and_crafts", "paper lanterns", "visible mending", "autumn wreath@9", "advent calendar diy@10"),
  ...of("diy_and_crafts", "linocut ideas", "crochet bag pattern", "pressed flower frames@6", "gift wrapping ideas@11"),
  ...of("wedding", "micro wedding ideas@4", "wildflower bouquet@5", "wedding guest dress@5", "table name cards"),
  ...of("womens_fashion", "capsule wardrobe", "linen outfit@6", "layered winter outfits@0", "office outfits"),
  ...of("mens_fashion", "workwear jacket outfit@9", "linen shirt outfit@6"),
  ...of("beauty", "short nail ideas", "curtain bangs", "christmas nails@11", "summer makeup@6"),
  ...of("travel", "lisbon in three days", "packing list summer@5", "train travel europe@6", "cabin weekend@9"),
  ...of("parenting", "rainy day activities", "toddler lunch ideas", "back to school routine@7", "nursery shelves"),
  ...of("education", "study desk setup@7", "bullet journal spreads@0", "phonics games"),
  ...of("health", "morning stretch routine@0", "meal prep for one", "walking plan"),
  ...of("sport", "couch to 5k@0", "home pilates", "climbing training"),
  ...of("art", "gouache landscapes", "sketchbook prompts", "gallery wall layout"),
  ...of("design", "logo moodboard", "poster layout", "type pairing"),
  ...of("finance", "savings challenge@0", "budget planner"),
  ...of("animals", "indoor cat ideas", "puppy checklist", "bird feeder diy@10"),
  ...of("quotes", "monday quotes", "quotes about rest"),
  ...of("event_planning", "garden party lights@6", "halloween table@9", "new year brunch@11"),
  ...of("architecture", "tiny house plans", "courtyard house", "attic conversion"),
];

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
