import { readKeywordsQuery } from "#components/keywords/keywords-query.ts";
import { KeywordsScreen } from "#components/keywords/keywords-screen.tsx";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import type {
  KeywordListWire,
  OwnPinsWire,
  RelatedWire,
  TrendsWire,
  TrendWire,
} from "#lib/features/keywords/schema.ts";
import type { Answers } from "./calls.ts";
import { renderScreen } from "./render.tsx";

export const TRENDS = "GET /api/users/pinterest/keyword-trends/*/";
export const RELATED = "GET /api/users/pinterest/related-keywords/*/";
export const LISTS = "GET /api/users/pinterest/keyword-lists/";
export const LIST = "GET /api/users/pinterest/keyword-lists/*/";
export const SAVE = "POST /api/users/pinterest/keyword-lists/";

const NOW = "2026-11-27T09:00:00.000Z";

const weeks = (count: number, firstDay: string) =>
  Array.from({ length: count }, (_, n) => ({ end_day: shiftDay(firstDay, 7 * n), value: (n * 37) % 101 }));

/** A trend as the server sends it. */
export const trendWire = (keyword: string, more: Partial<TrendWire> = {}): TrendWire => ({
  keyword,
  growth: { week: 50, month: -5, year: 10_001 },
  weeks: weeks(52, "2025-11-30"),
  forecast: weeks(13, "2026-11-29"),
  season: { peak_day: "2027-04-01", publish_from: "2027-02-04", publish_to: "2027-02-18" },
  own_pins: null,
  ...more,
});

export const trendsWire = (trends: TrendWire[]): TrendsWire => ({
  region: "US",
  trend_type: "growing",
  trends,
  fetched_at: NOW,
});

export const relatedWire = (term: string, own: Record<string, OwnPinsWire | null>): RelatedWire => ({
  term,
  keywords: Object.keys(own),
  items: Object.entries(own).map(([keyword, own_pins]) => ({ keyword, own_pins })),
});

export const listWire = (name: string, keywords = 2): KeywordListWire => ({
  ...{ id: `kwl_${name}`, name, keywords },
  created_at: NOW,
});

type OpenOptions = { query?: string; answers?: Answers; lists?: KeywordListWire[]; hasAccount?: boolean };

/** Renders Keywords with server-rendered lists; the trends are `easter crafts` and `sourdough bread`. */
export const openKeywords = async ({ query = "", answers = {}, lists = [], hasAccount = true }: OpenOptions = {}) => {
  const accounts = hasAccount ? [{ id: "account_1", username: "fern" }] : [];
  const params = Object.fromEntries(new URLSearchParams(query));
  const shown = await renderScreen(
    <KeywordsScreen
      accounts={accounts}
      first={{ accountId: accounts[0]?.id ?? null, query: readKeywordsQuery(params), lists: { lists } }}
      paintedAt={NOW}
      timeZone="Asia/Tokyo"
      creatorPath="/app/evertack-creator"
    />,
    {
      path: `/app/keywords${query && `?${query}`}`,
      answers: {
        [LISTS]: { lists },
        [TRENDS]: trendsWire([
          trendWire("easter crafts", {
            own_pins: { pins: 3, counted_pins: 2, impressions: 1_240, outbound_clicks: 12 },
          }),
          trendWire("sourdough bread", { season: null, forecast: [], growth: { week: 0, month: null, year: 7 } }),
        ]),
        ...answers,
      },
    },
  );
  const { screen } = shown;
  return {
    ...shown,
    button: (name: string | RegExp) => screen.getByRole("button", { name, exact: true }),
    row: (name: RegExp) => screen.getByRole("row", { name }),
    box: (name: string) => screen.getByRole("checkbox", { name, exact: true }),
    bar: screen.getByRole("region", { name: "Actions for the selected keywords" }),
  };
};
