import {
  type ExtractedVideo,
  KEYWORD_LENGTH_MAX,
  KEYWORDS_PER_VIDEO,
  TOP_CREATORS,
  TOP_SELECTED_HASHTAGS,
} from "./types.ts";

interface HashtagStats {
  tag: string;
  count: number;
  /** Percent of all videos, with one decimal (R-VAN-02). */
  percent: number;
  medianViews: number;
}

interface CreatorStats {
  author: string;
  videos: number;
  views: number;
}

interface UploadDay {
  /** A UTC day: "2025-03-09". */
  day: string;
  videos: number;
  views: number;
}

interface SelectionStats {
  videos: number;
  views: number;
  creators: number;
  /** At most three, most used first (R-VAN-05). */
  topHashtags: string[];
}

export interface Analysis {
  totalVideos: number;
  totalViews: number;
  creators: number;
  /** Per video, with one decimal (R-VAN-01). */
  averageHashtags: number;
  hashtags: HashtagStats[];
  topCreators: CreatorStats[];
  byUpload: UploadDay[];
  selected: SelectionStats | null;
}

/** Rounds tenths before dividing, because 1.05 is not exact in binary and would round down. */
const oneDecimal = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part * 10) / whole) / 10);

/** `numbers` must be sorted. */
const medianOf = (numbers: readonly number[]): number => {
  const middle = numbers.length >> 1;
  const upper = numbers[middle] ?? 0;
  return numbers.length % 2 === 1 ? upper : Math.round(((numbers[middle - 1] ?? 0) + upper) / 2);
};

const add = (sum: number, views: number): number => Math.min(sum + views, Number.MAX_SAFE_INTEGER);

/** Compares by code unit, so that worker, server and tests agree in every locale. */
const byName = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

interface Tally {
  name: string;
  views: number[];
}

/** Groups views by name, ignoring case. A-70: each name counts once per video. */
const tallyOf = (
  videos: readonly ExtractedVideo[],
  namesOf: (video: ExtractedVideo) => readonly string[],
): Map<string, Tally> => {
  const tallies = new Map<string, Tally>();
  for (const video of videos) {
    const views = viewsOf(video.views_count);
    const counted = new Set<string>();
    for (const name of namesOf(video)) {
      const key = name.toLowerCase();
      if (counted.has(key)) continue;
      counted.add(key);
      const tally = tallies.get(key);
      if (tally) tally.views.push(views);
      else tallies.set(key, { name, views: [views] });
    }
  }
  return tallies;
};

const hashtagsOf = (videos: readonly ExtractedVideo[]): HashtagStats[] =>
  [...tallyOf(videos, ({ hashtags }) => hashtags).values()]
    .map(({ name, views }) => ({
      tag: name,
      count: views.length,
      percent: oneDecimal(views.length * 100, videos.length),
      medianViews: medianOf(views.sort((one, other) => one - other)),
    }))
    .sort((one, other) => other.count - one.count || byName(one.tag, other.tag));

const creatorsOf = (videos: readonly ExtractedVideo[]): CreatorStats[] =>
  [...tallyOf(videos, ({ author }) => (author ? [author] : [])).values()]
    .map(({ name, views }) => ({ author: name, videos: views.length, views: views.reduce(add, 0) }))
    .sort((one, other) => other.videos - one.videos || other.views - one.views || byName(one.author, other.author));

const byUploadOf = (videos: readonly ExtractedVideo[]): UploadDay[] =>
  [...tallyOf(videos, ({ uploaded_at }) => (uploaded_at ? [uploaded_at.slice(0, 10)] : [])).values()]
    .map(({ name, views }) => ({ day: name, videos: views.length, views: views.reduce(add, 0) }))
    .sort((one, other) => byName(one.day, other.day));

const viewsOfAll = (videos: readonly ExtractedVideo[]): number =>
  videos.reduce((sum, { views_count }) => add(sum, viewsOf(views_count)), 0);

const selectedOf = (videos: readonly ExtractedVideo[]): SelectionStats | null =>
  videos.length === 0
    ? null
    : {
        videos: videos.length,
        views: viewsOfAll(videos),
        creators: creatorsOf(videos).length,
        topHashtags: hashtagsOf(videos)
          .slice(0, TOP_SELECTED_HASHTAGS)
          .map(({ tag }) => tag),
      };

/** R-VAN-01 to R-VAN-05. Missing counts are 0 (R-VID-30). */
export const analyze = (videos: readonly ExtractedVideo[], selectedIds: ReadonlySet<number>): Analysis => {
  const creators = creatorsOf(videos);
  const hashtags = hashtagsOf(videos);
  return {
    totalVideos: videos.length,
    totalViews: viewsOfAll(videos),
    creators: creators.length,
    averageHashtags: oneDecimal(
      hashtags.reduce((sum, { count }) => sum + count, 0),
      videos.length,
    ),
    hashtags,
    topCreators: creators.slice(0, TOP_CREATORS),
    byUpload: byUploadOf(videos),
    selected: selectedOf(videos.filter(({ id }) => selectedIds.has(id))),
  };
};

const UNITS: Record<string, number> = {
  k: 1e3,
  m: 1e6,
  b: 1e9,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  тыс: 1e3,
  млн: 1e6,
  млрд: 1e9,
  mil: 1e3,
  mi: 1e6,
  mio: 1e6,
  mln: 1e6,
  mrd: 1e9,
  rb: 1e3,
  jt: 1e6,
  n: 1e3,
  tr: 1e6,
  千: 1e3,
  천: 1e3,
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  亿: 1e8,
  億: 1e8,
  억: 1e8,
};

/** Longer texts are not counts; this also bounds the patterns below. */
const COUNT_LENGTH_MAX = 48;

const COUNT = /([-−]\s?)?((?:\d|\.\d)[\d.,'’\s]*)(\p{L}*)/u;

const EXPONENTIAL = /^\d(?:\.\d+)?e[+-]\d{1,3}$/;

/** "1.2Kviews", but not "5 months" or "3min". */
const UNIT_IN_WORD = /^(?:[KMB]|[kmb](?=views|likes|plays))/;

/** The first digit of other scripts: Arabic, Persian, Devanagari, Bengali, Thai. */
const DIGIT_BLOCKS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const toPlainDigit = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  const block = DIGIT_BLOCKS.find((start) => code >= start && code < start + 10);
  return block === undefined ? letter : String(code - block);
};

const toPlainText = (text: string): string =>
  /[^\0-\x7f]/.test(text)
    ? text
        .normalize("NFKC")
        .replace(/\p{Nd}/gu, toPlainDigit)
        .replaceAll("٫", ".")
        .replaceAll("٬", ",")
    : text;

const toNumber = (digits: string, isShortened: boolean): number | null => {
  const tight = digits.replace(/[\s'’]/g, "").replace(/[.,]+$/, "");
  // Separators before every three digits group thousands, unless a unit follows: "1.234" is 1234, "1.234M" is not.
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(tight)) return Number(tight.replaceAll(",", ""));
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(tight) && !(isShortened && /^\d+\.\d+$/.test(tight))) {
    return Number(tight.replaceAll(".", "").replace(",", "."));
  }
  if (isShortened && /^\d+,\d{1,2}$/.test(tight)) return Number(tight.replace(",", "."));
  return /^[\d,]*(\.\d+)?$/.test(tight) ? Number(tight.replaceAll(",", "")) : null;
};

const unitOf = (letters: string, isAttached: boolean): number => {
  const known = UNITS[letters.toLowerCase()];
  if (known !== undefined || !isAttached) return known ?? 1;
  return UNITS[UNIT_IN_WORD.exec(letters)?.[0].toLowerCase() ?? ""] ?? 1;
};

/** R-VID-30, A-72: "1.2K" is 1200; unreadable counts are 0; never NaN or above the largest safe integer. */
export const viewsOf = (text: string | null | undefined): number => {
  if (!text || text.length > COUNT_LENGTH_MAX) return 0;
  if (EXPONENTIAL.test(text)) return Math.min(Math.round(Number(text)), Number.MAX_SAFE_INTEGER);
  const found = COUNT.exec(toPlainText(text));
  if (!found || found[1] !== undefined) return 0;
  const [, , digits = "", letters = ""] = found;
  const unit = unitOf(letters, !/\s$/.test(digits));
  const number = toNumber(digits, unit > 1);
  if (number === null) return 0;
  return Math.min(Math.round(number * unit), Number.MAX_SAFE_INTEGER);
};

const NOT_CAPTION = /(?:https?:\/\/|www\.)\S+|@[\w.]+|[#＃][\p{L}\p{N}\p{M}_]+/giu;
const LETTER = /[\p{L}\p{N}]/u;

/** "SmallGardenIdeas2024" → "small garden ideas 2024". A tag in one case stays one word. */
const splitTag = (tag: string): string =>
  tag
    .replace(/_+/g, " ")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L})(\p{N})/gu, "$1 $2")
    .toLowerCase()
    .trim();

const truncate = (text: string): string => {
  if (text.length <= KEYWORD_LENGTH_MAX) return text;
  const part = text.slice(0, KEYWORD_LENGTH_MAX);
  const space = part.lastIndexOf(" ");
  return (space > KEYWORD_LENGTH_MAX / 2 ? part.slice(0, space) : part).toWellFormed().trimEnd();
};

/** The caption without hashtags, mentions and URLs, then the hashtags; at most ten. */
export const keywordsFrom = (video: Pick<ExtractedVideo, "title" | "hashtags">): string[] => {
  const caption = (video.title ?? "").replace(NOT_CAPTION, " ").replace(/\s+/g, " ").trim();
  const keywords = new Map<string, string>();
  for (const text of [caption, ...video.hashtags.map(splitTag)]) {
    const keyword = truncate(text);
    if (LETTER.test(keyword) && !keywords.has(keyword.toLowerCase())) keywords.set(keyword.toLowerCase(), keyword);
  }
  return [...keywords.values()].slice(0, KEYWORDS_PER_VIDEO);
};
