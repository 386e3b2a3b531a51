import { countOf } from "#lib/core/text.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";

/** The regions of Pinterest's trends, by its names for them. */
export const REGIONS = {
  US: "United States",
  CA: "Canada",
  "GB+IE": "UK and Ireland",
  DE: "Germany",
  "DE+AT+CH": "Germany, Austria, and Switzerland",
  FR: "France",
  ES: "Spain",
  IT: "Italy",
  "IT+ES+PT+GR+MT": "Southern Europe",
  "NL+BE+LU": "Benelux",
  "SE+DK+FI+NO": "Nordic countries",
  "PL+RO+HU+SK+CZ": "Eastern Europe",
  "AU+NZ": "Australia and New Zealand",
  BR: "Brazil",
  MX: "Mexico",
  AR: "Argentina",
  CO: "Colombia",
  "MX+AR+CO+CL": "Latin America (Spanish)",
} as const;
export type Region = keyof typeof REGIONS;
export const REGION_NAMES = Object.keys(REGIONS) as [Region, ...Region[]];

export const TREND_TYPES = ["growing", "monthly", "yearly", "seasonal"] as const;
export type TrendType = (typeof TREND_TYPES)[number];

export const INTERESTS = {
  animals: "Animals",
  architecture: "Architecture",
  art: "Art",
  beauty: "Beauty",
  childrens_fashion: "Children's fashion",
  design: "Design",
  diy_and_crafts: "DIY and crafts",
  education: "Education",
  electronics: "Electronics",
  entertainment: "Entertainment",
  event_planning: "Event planning",
  finance: "Finance",
  food_and_drinks: "Food and drinks",
  gardening: "Gardening",
  health: "Health",
  home_decor: "Home decor",
  mens_fashion: "Men's fashion",
  parenting: "Parenting",
  quotes: "Quotes",
  sport: "Sports",
  travel: "Travel",
  vehicles: "Vehicles",
  wedding: "Weddings",
  womens_fashion: "Women's fashion",
} as const;
export type Interest = keyof typeof INTERESTS;
export const INTEREST_NAMES = Object.keys(INTERESTS) as [Interest, ...Interest[]];

export const AGES = ["18-24", "25-34", "35-44", "45-49", "50-54", "55-64", "65+"] as const;
export type Age = (typeof AGES)[number];

export const GENDERS = ["female", "male", "unknown"] as const;
export type Gender = (typeof GENDERS)[number];

/** Stands for a growth of more than 10,000 percent. */
export const GROWTH_OVER = 10_001;

/** Pinterest's figures stay in memory this long, and are never stored. */
export const TRENDS_KEPT_MS = DAY_MS;
/** An answer takes about 150 kB of memory. */
export const TREND_ENTRIES_MAX = 100;

/** Pinterest's limit of trend calls per minute and user. */
export const TREND_CALLS_LIMIT = 60;
/** Two of our fixed windows may fall into one of Pinterest's, so each has half of its calls. */
export const WINDOW_CALLS = TREND_CALLS_LIMIT / 2;
export const WINDOW_MS = MINUTE_MS;

/** Pins are counted over all time, and metrics over these last days. */
export const OWN_PINS_DAYS = 90;

export const LISTS_MAX = 50;
export const KEYWORDS_PER_LIST_MAX = 500;
export const KEYWORDS_PER_SAVE_MAX = 100;
export const LIST_NAME_MAX = 60;
export const KEYWORD_MAX = 200;
export const SEARCH_TERMS_MAX = 5;
/** Pinterest's limit for a keyword of a search. */
export const SEARCH_TERM_MAX = 100;

export const SUGGEST_FROM_CHARS = 3;
export const SUGGESTIONS_MAX = 12;

export const TEXTS = {
  relatedOff: "Related keywords aren't available because Pinterest only provides them to apps with ads access.",
  relatedNotGranted:
    "This account was connected without ads access, which Pinterest requires for related keywords. Reconnect it to see them.",
  nameMissing: "Enter a name for the list.",
  nameTooLong: `The name of a list can have up to ${LIST_NAME_MAX} characters.`,
  noKeywords: "Select at least one keyword.",
  tooManyKeywords: `You can save up to ${KEYWORDS_PER_SAVE_MAX} keywords at once.`,
  keywordTooLong: `A keyword can have up to ${KEYWORD_MAX} characters.`,
  tooManyLists: `You can have up to ${LISTS_MAX} lists. Delete a list first.`,
  listFull: `A list can hold up to ${KEYWORDS_PER_LIST_MAX} keywords. Remove some first, or use another list.`,
  textInvalid: `Enter ${SUGGEST_FROM_CHARS} to ${SEARCH_TERM_MAX} characters.`,
  searchInvalid: `Search for up to ${SEARCH_TERMS_MAX} keywords of up to ${SEARCH_TERM_MAX} characters, separated by commas.`,
} as const;

const SHORT_SECONDS = 120;

const waitText = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  if (seconds <= SHORT_SECONDS) return countOf(seconds, "second");
  return minutes <= SHORT_SECONDS ? countOf(minutes, "minute") : countOf(Math.ceil(minutes / 60), "hour");
};

const againText = (seconds: number): string => `Try again in ${waitText(seconds)}.`;

/** When our own window is full, before Pinterest refuses anything. */
export const ownLimitText = (seconds: number): string =>
  `To stay within Pinterest's limit, we send up to ${WINDOW_CALLS} of these requests per minute for an account. ${againText(seconds)}`;

/** When Pinterest refuses. A long wait is not about the calls of a minute, but of a day, as apps with trial access have. */
export const limitText = (seconds: number, perMinute: number | null): string => {
  const isOfMinute = perMinute !== null && seconds <= SHORT_SECONDS;
  const limit = isOfMinute
    ? `Pinterest allows ${perMinute} requests per minute.`
    : "We've reached Pinterest's request limit.";
  return `${limit} ${againText(seconds)}`;
};
