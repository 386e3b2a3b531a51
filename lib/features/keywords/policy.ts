import { DAY_MS } from "#lib/core/time.ts";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import type { VoiceLanguage } from "#lib/features/branding/constants.ts";
import type { Region } from "./constants.ts";

/** A week by its last day (UTC), such as `2026-11-22`, with its searches from 0 to 100. */
export interface Week {
  endDay: string;
  value: number;
}

/** UTC days: the middle of the busiest week, and the first and last day to publish for it. */
export interface Season {
  peakDay: string;
  publishFrom: string;
  publishTo: string;
}

const YEAR_WEEKS = 52;
const YEAR_DAYS = 364;
/** Fewer weeks don't show a whole year. */
const WEEKS_MIN = 45;
/** From the last day of a week to its middle. */
const TO_MIDDLE_DAYS = 3;
const LEAD_DAYS = { from: 8 * 7, to: 6 * 7 };
/** A season is a part of the year: at most this share of its weeks reaches half of the peak. */
const SEASON_SHARE = 0.4;
/** A second peak counts from this share of the highest one. */
const PEAK_SHARE = 0.75;
/** A forecast moves the peak by at most this much. */
const FORECAST_DAYS = 5 * 7;

const byDay = (weeks: readonly Week[]): Week[] => weeks.toSorted((a, b) => (a.endDay < b.endDay ? -1 : 1));

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** The mean of each week and its neighbors; the year is a circle. */
const smooth = (values: readonly number[]): number[] =>
  values.map((value, at) => {
    const before = values.at(at - 1) ?? value;
    const after = values[(at + 1) % values.length] ?? value;
    return (before + value + after) / 3;
  });

/** Runs of true values on a circle, as lists of positions in their order. */
const runsOf = (flags: readonly boolean[]): number[][] => {
  const start = flags.indexOf(false);
  const runs: number[][] = [];
  for (let step = 1; step <= flags.length; step += 1) {
    const at = (start + step) % flags.length;
    if (!flags[at]) continue;
    if (flags.at(at - 1)) runs.at(-1)?.push(at);
    else runs.push([at]);
  }
  return runs;
};

const highest = <T>(list: readonly T[], scoreOf: (one: T) => number): T | null =>
  list.reduce<T | null>((best, one) => (best === null || scoreOf(one) > scoreOf(best) ? one : best), null);

/** The day of the forecast's peak; null when it only rises or only falls. */
const forecastPeak = (forecast: readonly Week[]): string | null => {
  const weeks = byDay(forecast);
  const peak = highest(weeks, ({ value }) => value);
  return peak === null || peak === weeks[0] || peak === weeks.at(-1) ? null : peak.endDay;
};

/** The day on or after `today`, whole years later. */
const nextYearly = (day: string, today: string): string => {
  const years = Math.max(0, Math.ceil(daysBetween(day, today) / YEAR_DAYS));
  return shiftDay(day, years * YEAR_DAYS);
};

/** A peak that stops at the edge of the data may be growth, or the end of a fad. */
const isCutOff = (run: readonly number[], values: readonly number[], half: number): boolean => {
  const last = values.length - 1;
  const step = Math.abs((values[0] ?? 0) - (values[last] ?? 0));
  return run.includes(0) !== run.includes(last) && step > half;
};

/**
 * The next season of a keyword. Pins need six to eight weeks to be found, so they go out that long before the peak.
 * @param history weekly values of the past year
 * @param forecast of the next three months, on its own scale, so that it only tells when, not how much
 * @param today UTC day
 * @returns null without a clear season: too few weeks, no peak, a single week, or growth without an end
 */
export const findSeason = (history: readonly Week[], forecast: readonly Week[], today: string): Season | null => {
  const weeks = byDay(history).slice(-YEAR_WEEKS);
  const [first, last] = [weeks[0], weeks.at(-1)];
  if (!first || !last || weeks.length < WEEKS_MIN || daysBetween(first.endDay, last.endDay) > YEAR_DAYS) return null;
  const raw = weeks.map(({ value }) => value);
  const values = smooth(raw);
  const top = Math.max(...values);
  const flags = values.map((value) => value >= top / 2);
  if (top <= 0 || flags.filter(Boolean).length > SEASON_SHARE * flags.length) return null;
  const rawHalf = Math.max(...raw) / 2;
  const expected = forecastPeak(forecast);
  const peaks = runsOf(flags).flatMap((run) => {
    const best = highest(run, (at) => values[at] ?? 0);
    const peak = best === null ? undefined : weeks[best];
    if (best === null || !peak || (values[best] ?? 0) < PEAK_SHARE * top) return [];
    const isSingleWeek = run.filter((at) => (raw[at] ?? 0) >= rawHalf).length < 2;
    const next = nextYearly(shiftDay(peak.endDay, -TO_MIDDLE_DAYS), today);
    const middle = expected && shiftDay(expected, -TO_MIDDLE_DAYS);
    const isNear = (day: string) => middle !== null && Math.abs(daysBetween(day, middle)) <= FORECAST_DAYS;
    if (isSingleWeek) return [];
    if (isCutOff(run, raw, top / 2)) return run.includes(raw.length - 1) && middle && middle >= today ? [middle] : [];
    return [middle && middle >= today && isNear(next) ? middle : next];
  });
  const [peakDay] = peaks.toSorted();
  if (peakDay === undefined) return null;
  return {
    peakDay,
    publishFrom: shiftDay(peakDay, -LEAD_DAYS.from),
    publishTo: shiftDay(peakDay, -LEAD_DAYS.to),
  };
};

/** Where a language is mainly read; English and those that many regions share say nothing. */
const LANGUAGE_REGIONS: Partial<Record<VoiceLanguage, Region>> = {
  ...{ de: "DE", fr: "FR", it: "IT", nl: "NL+BE+LU", el: "IT+ES+PT+GR+MT" },
  ...{ sv: "SE+DK+FI+NO", da: "SE+DK+FI+NO", no: "SE+DK+FI+NO", fi: "SE+DK+FI+NO" },
  ...{ pl: "PL+RO+HU+SK+CZ", cs: "PL+RO+HU+SK+CZ", ro: "PL+RO+HU+SK+CZ", hu: "PL+RO+HU+SK+CZ" },
};

const ZONE_REGIONS: readonly [RegExp, Region][] = [
  [/^(Australia\/|Pacific\/(Auckland|Chatham)$|NZ)/, "AU+NZ"],
  [/^(Canada\/|America\/(Toronto|Montreal|Vancouver|Edmonton|Winnipeg|Halifax|Regina|St_Johns)$)/, "CA"],
  [/^(Brazil\/|America\/(Sao_Paulo|Bahia|Fortaleza|Recife|Manaus|Belem|Cuiaba)$)/, "BR"],
  [/^(Mexico\/|America\/(Mexico_City|Monterrey|Tijuana|Cancun|Merida|Hermosillo|Chihuahua)$)/, "MX"],
  [/^America\/(Argentina\/|Buenos_Aires$)/, "AR"],
  [/^America\/Bogota$/, "CO"],
  [/^(Europe\/(London|Belfast|Dublin|Jersey|Guernsey|Isle_of_Man)|GB|Eire)$/, "GB+IE"],
  [/^Europe\/(Berlin|Busingen)$/, "DE"],
  [/^Europe\/(Vienna|Zurich)$/, "DE+AT+CH"],
  [/^Europe\/(Paris|Monaco)$/, "FR"],
  [/^(Europe\/Madrid|Atlantic\/Canary)$/, "ES"],
  [/^Europe\/(Rome|Vatican|San_Marino)$/, "IT"],
  [/^(Europe\/(Lisbon|Athens|Malta)|Atlantic\/(Madeira|Azores))$/, "IT+ES+PT+GR+MT"],
  [/^Europe\/(Amsterdam|Brussels|Luxembourg)$/, "NL+BE+LU"],
  [/^Europe\/(Stockholm|Copenhagen|Helsinki|Oslo)$/, "SE+DK+FI+NO"],
  [/^Europe\/(Warsaw|Bucharest|Budapest|Bratislava|Prague)$/, "PL+RO+HU+SK+CZ"],
  [/^America\/(Santiago|Punta_Arenas)$/, "MX+AR+CO+CL"],
];

/** Whose trends suit an account: by the language of its texts, or else by its user's time zone. */
export const regionOf = ({ language, timeZone }: { language: VoiceLanguage | null; timeZone: string }): Region => {
  const ofZone = ZONE_REGIONS.find(([zones]) => zones.test(timeZone))?.[1] ?? null;
  const ofLanguage = language && (LANGUAGE_REGIONS[language] ?? null);
  return ofLanguage ?? ofZone ?? "US";
};
