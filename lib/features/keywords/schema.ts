import { z } from "zod";
import { visible } from "#lib/core/text.ts";
import { accountId } from "#lib/features/accounts/schema.ts";
import {
  AGES,
  GENDERS,
  INTEREST_NAMES,
  KEYWORD_MAX,
  KEYWORDS_PER_SAVE_MAX,
  LIST_NAME_MAX,
  REGION_NAMES,
  SEARCH_TERM_MAX,
  SEARCH_TERMS_MAX,
  SUGGEST_FROM_CHARS,
  TEXTS,
  TREND_TYPES,
} from "./constants.ts";

const oneLine = (text: string): string => visible(text).replace(/\s+/gu, " ");

/** A comma-separated list without repetitions; missing and empty are the same. */
const listOf = <S extends z.ZodType<string, string>>(item: S, max: number, tooMany: string) =>
  z
    .string()
    .max(max * (SEARCH_TERM_MAX + 1), tooMany)
    .default("")
    .transform((text) => [...new Set(text.split(",").map(oneLine).filter(Boolean))].toSorted())
    .pipe(z.array(item).max(max, tooMany));

const searchTerm = z.string().max(SEARCH_TERM_MAX, TEXTS.searchInvalid);

/** GET /api/users/pinterest/keyword-trends/{accountId}/ */
export const trendsInput = z
  .object({
    accountId,
    region: z.enum(REGION_NAMES).default("US"),
    trend_type: z.enum(TREND_TYPES).default("growing"),
    interests: listOf(z.enum(INTEREST_NAMES), INTEREST_NAMES.length, "Choose from Pinterest's interests."),
    ages: listOf(z.enum(AGES), AGES.length, "Choose from Pinterest's age groups."),
    genders: listOf(z.enum(GENDERS), GENDERS.length, "Choose female, male, or unknown."),
    include_keywords: listOf(searchTerm, SEARCH_TERMS_MAX, TEXTS.searchInvalid),
  })
  .transform(({ trend_type: type, include_keywords: keywords, ...rest }) => ({ ...rest, type, keywords }));
export type TrendsInput = z.output<typeof trendsInput>;

/** GET /api/users/pinterest/related-keywords/{accountId}/ */
export const relatedInput = z.object({
  accountId,
  term: z.string(TEXTS.searchInvalid).transform(oneLine).pipe(searchTerm.min(1, TEXTS.searchInvalid)),
});
export type RelatedInput = z.output<typeof relatedInput>;

/** GET /api/users/pinterest/keyword-suggestions/{accountId}/ */
export const suggestionsInput = z.object({
  accountId,
  text: z.string(TEXTS.textInvalid).transform(oneLine).pipe(searchTerm.min(SUGGEST_FROM_CHARS, TEXTS.textInvalid)),
});
export type SuggestionsInput = z.output<typeof suggestionsInput>;

const keyword = z
  .string(TEXTS.noKeywords)
  .transform(oneLine)
  .pipe(z.string().min(1, TEXTS.noKeywords).max(KEYWORD_MAX, TEXTS.keywordTooLong));

/** POST /api/users/pinterest/keyword-lists/ */
export const saveKeywordsInput = z.object({
  name: z
    .string(TEXTS.nameMissing)
    .transform(oneLine)
    .pipe(z.string().min(1, TEXTS.nameMissing).max(LIST_NAME_MAX, TEXTS.nameTooLong)),
  keywords: z
    .array(z.unknown(), TEXTS.noKeywords)
    .min(1, TEXTS.noKeywords)
    .max(KEYWORDS_PER_SAVE_MAX, TEXTS.tooManyKeywords)
    .pipe(z.array(keyword)),
});
export type SaveKeywordsInput = z.output<typeof saveKeywordsInput>;

const id = z.string().min(1).max(100);

/** DELETE /api/users/pinterest/keyword-lists/{listId}/ */
export const keywordListInput = z.object({ listId: id });
export type KeywordListInput = z.output<typeof keywordListInput>;

/** GET /api/users/pinterest/keyword-lists/{listId}/. `account`: whose own pins come with the keywords. */
export const readKeywordListInput = keywordListInput.extend({ account: accountId.optional() });
export type ReadKeywordListInput = z.output<typeof readKeywordListInput>;

/** DELETE /api/users/pinterest/keyword-lists/{listId}/keywords/{keywordId}/ */
export const savedKeywordInput = z.object({ listId: id, keywordId: id });
export type SavedKeywordInput = z.output<typeof savedKeywordInput>;

/** A week by its last day in UTC, from 0 to 100. */
export interface TrendWeekWire {
  end_day: string;
  value: number;
}

/** UTC days. */
export interface SeasonWire {
  peak_day: string;
  publish_from: string;
  publish_to: string;
}

export interface OwnPinsWire {
  pins: number;
  counted_pins: number;
  impressions: number;
  outbound_clicks: number;
}

export interface TrendWire {
  keyword: string;
  /** Percent; 10001 is more than 10,000. Null when Pinterest sends none. */
  growth: { week: number | null; month: number | null; year: number | null };
  weeks: TrendWeekWire[];
  /** Not on the scale of `weeks`. */
  forecast: TrendWeekWire[];
  /** Null without a clear season. */
  season: SeasonWire | null;
  /** Null when no published pin has the keyword. */
  own_pins: OwnPinsWire | null;
}

export interface TrendsWire {
  region: string;
  trend_type: string;
  trends: TrendWire[];
  fetched_at: string;
}

export interface RelatedWire {
  term: string;
  keywords: string[];
  /** The same keywords, each with the account's pins. */
  items: { keyword: string; own_pins: OwnPinsWire | null }[];
}

/** `problem`: why Pinterest's are missing. */
export interface SuggestionsWire {
  keywords: string[];
  problem: string | null;
}

export interface KeywordListWire {
  id: string;
  name: string;
  keywords: number;
  created_at: string;
}

export interface KeywordListsWire {
  lists: KeywordListWire[];
}

export interface SavedKeywordWire {
  id: string;
  keyword: string;
  /** A UTC day. */
  saved_on: string;
  /** Missing unless an account was named; null when none of its published pins has the keyword. */
  own_pins?: OwnPinsWire | null;
}

export interface KeywordListDetailWire extends KeywordListWire {
  items: SavedKeywordWire[];
}
