import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIso } from "#lib/core/time.ts";
import { dayOf, type Group } from "#lib/features/analytics/policy.ts";
import type { PinterestTrend, TrendWeek } from "#lib/integrations/pinterest/port.ts";
import type { KeywordList, KeywordListDetail } from "./lists.ts";
import { findSeason } from "./policy.ts";
import type {
  KeywordListDetailWire,
  KeywordListsWire,
  KeywordListWire,
  OwnPinsWire,
  RelatedWire,
  SeasonWire,
  SuggestionsWire,
  TrendsWire,
  TrendWeekWire,
  TrendWire,
} from "./schema.ts";
import type { Suggestions } from "./suggestions.ts";
import type { Related, Trends } from "./trends.ts";

const toWeek = ({ endDay, value }: TrendWeek): TrendWeekWire => ({ end_day: endDay, value });

const toSeason = ({ history, forecast }: PinterestTrend, today: string): SeasonWire | null => {
  const season = findSeason(history, forecast, today);
  return season && { peak_day: season.peakDay, publish_from: season.publishFrom, publish_to: season.publishTo };
};

const toOwnPins = (own: Group | null = null): OwnPinsWire | null =>
  own && {
    pins: own.pins,
    counted_pins: own.countedPins,
    impressions: own.sums.impressions,
    outbound_clicks: own.sums.outboundClicks,
  };

const toTrend = ({ trend, own }: Trends["trends"][number], today: string): TrendWire => ({
  keyword: trend.keyword,
  growth: trend.growth,
  weeks: trend.history.map(toWeek),
  forecast: trend.forecast.map(toWeek),
  season: toSeason(trend, today),
  own_pins: toOwnPins(own),
});

export const toTrendsWire = ({ input, trends, readAt }: Trends, ctx: Ctx): TrendsWire => ({
  region: input.region,
  trend_type: input.type,
  trends: trends.map((trend) => toTrend(trend, dayOf(ctx.now()))),
  fetched_at: toIso(readAt),
});

export const toRelatedWire = ({ term, keywords }: Related): RelatedWire => ({
  term,
  keywords: keywords.map(({ keyword }) => keyword),
  items: keywords.map(({ keyword, own }) => ({ keyword, own_pins: toOwnPins(own) })),
});

export const toSuggestionsWire = ({ keywords, problem }: Suggestions): SuggestionsWire => ({ keywords, problem });

const toListWire = ({ id, name, keywords, createdAt }: KeywordList): KeywordListWire => ({
  ...{ id, name, keywords },
  created_at: toIso(createdAt),
});

export const toListsWire = (lists: readonly KeywordList[]): KeywordListsWire => ({ lists: lists.map(toListWire) });

export const toListDetailWire = ({ list, items, own }: KeywordListDetail): KeywordListDetailWire => ({
  ...toListWire(list),
  items: items.map(({ id, keyword, keywordKey, savedOn }) => {
    const item = { id, keyword, saved_on: savedOn };
    return own ? { ...item, own_pins: toOwnPins(own.get(keywordKey)) } : item;
  }),
});
