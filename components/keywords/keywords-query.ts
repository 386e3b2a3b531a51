import {
  AGES,
  type Age,
  GENDERS,
  type Gender,
  INTEREST_NAMES,
  type Interest,
  REGION_NAMES,
  type Region,
  SEARCH_TERM_MAX,
  SEARCH_TERMS_MAX,
  TREND_TYPES,
  type TrendType,
} from "#lib/features/keywords/constants.ts";

/** The id of the tabs' panel. */
export const PANEL = "keywords-panel";

export const VIEWS = ["trends", "lists"] as const;
type View = (typeof VIEWS)[number];

/** What the screen shows, as kept in the URL. */
export interface KeywordsQuery {
  view: View;
  region: Region;
  type: TrendType;
  interests: readonly Interest[];
  ages: readonly Age[];
  genders: readonly Gender[];
  /** Keywords to filter by, as typed. */
  search: string;
  /** The open list; empty for none. */
  list: string;
}

/** The search parameters of the page. */
export type KeywordsParams = Partial<
  Record<"account" | "view" | "region" | "type" | "interests" | "ages" | "genders" | "q" | "list", string | string[]>
>;

const LIST_ID_MAX = 40;
/** Of all terms, with commas and spaces between them. */
export const SEARCH_MAX = SEARCH_TERMS_MAX * (SEARCH_TERM_MAX + 2);

const textOf = (value: string | string[] | undefined, max: number): string =>
  typeof value === "string" ? value.slice(0, max) : "";

const chosenOf = <V extends string>(all: readonly V[], value: string | string[] | undefined): V[] => {
  const named = new Set(textOf(value, 1_000).split(","));
  return all.filter((one) => named.has(one));
};

/** Reads the search parameters; invalid values fall back to the defaults. */
export const readKeywordsQuery = (params: KeywordsParams): KeywordsQuery => ({
  view: VIEWS.find((one) => one === params.view) ?? "trends",
  region: REGION_NAMES.find((one) => one === params.region) ?? "US",
  type: TREND_TYPES.find((one) => one === params.type) ?? "growing",
  interests: chosenOf(INTEREST_NAMES, params.interests),
  ages: chosenOf(AGES, params.ages),
  genders: chosenOf(GENDERS, params.genders),
  search: textOf(params.q, SEARCH_MAX).trim(),
  list: textOf(params.list, LIST_ID_MAX),
});

const unlessDefault = (value: string, usual: string): string | null => (value === usual ? null : value);

/** The search parameters of a query; null for defaults, which are left out. */
export const writeKeywordsQuery = (query: KeywordsQuery): Record<string, string | null> => ({
  view: unlessDefault(query.view, "trends"),
  region: unlessDefault(query.region, "US"),
  type: unlessDefault(query.type, "growing"),
  interests: query.interests.join() || null,
  ages: query.ages.join() || null,
  genders: query.genders.join() || null,
  q: query.search || null,
  list: query.list || null,
});

/** The path of the call that answers a query. */
export const trendsPath = (accountId: string, query: KeywordsQuery): string => {
  const { region, type, interests, ages, genders, search } = query;
  const params = new URLSearchParams({ region, trend_type: type });
  const lists = { interests: interests.join(), ages: ages.join(), genders: genders.join(), include_keywords: search };
  for (const [name, value] of Object.entries(lists)) if (value) params.set(name, value);
  return `/api/users/pinterest/keyword-trends/${encodeURIComponent(accountId)}/?${params}`;
};

/** Pinterest relates keywords to one term: the first of the search. */
export const firstTerm = (search: string): string => search.split(",")[0]?.trim() ?? "";

export const relatedPath = (accountId: string, term: string): string =>
  `/api/users/pinterest/related-keywords/${encodeURIComponent(accountId)}/?${new URLSearchParams({ term })}`;

export const LISTS_PATH = "/api/users/pinterest/keyword-lists/";

export const listPath = (listId: string): string => `${LISTS_PATH}${encodeURIComponent(listId)}/`;

/** The path of the call that reads a list, with what an account's pins did with its keywords. */
export const listWithPinsPath = (listId: string, accountId: string | null): string =>
  accountId === null ? listPath(listId) : `${listPath(listId)}?${new URLSearchParams({ account: accountId })}`;
