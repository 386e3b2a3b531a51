import type { PlantedRule } from "./model.ts";

export const DAY_MS = 86_400_000;
const NEW_PIN_DAYS = 21;
const WEEKDAY_SHARES = [1.22, 0.94, 0.9, 0.92, 0.97, 1.02, 1.18];

export const METRICS = ["IMPRESSION", "PIN_CLICK", "OUTBOUND_CLICK", "SAVE", "ENGAGEMENT"] as const;
export type Metric = (typeof METRICS)[number];

export type DayFacts = Record<Metric, number>;

/** A pin as its metrics depend on it. */
interface PinProfile {
  id: string;
  /** The first day with metrics. */
  firstDay: string;
  /** Relative probability of a click on its link; 1 is average. */
  clickFactor: number;
}

/** A pin's metrics on a day, always the same. New pins, weekends, and some pins get more impressions. */
export function pinDay({ id, firstDay, clickFactor }: PinProfile, day: string): DayFacts {
  const age = Math.max(0, Math.floor((Date.parse(day) - Date.parse(firstDay)) / DAY_MS));
  const appeal = 12 + 900 * chance(id) ** 4;
  const ageing = 0.25 + 0.75 * Math.exp(-age / NEW_PIN_DAYS) * Math.min(1, (age + 1) / 3);
  return dayOf(`${id} ${day}`, appeal * ageing * weekdayShare(day), clickFactor);
}

/** How likely clicks on pins with this text are, so that pins about one subject do alike; planted rules multiply it. */
export function clickFactorOf(text: string, planted: readonly PlantedRule[]): number {
  const words = wordsOf(text);
  const factors = [...words].map((word) => 0.7 + 0.6 * chance(`pull ${word}`));
  const usual = factors.length === 0 ? 1 : factors.reduce((sum, mood) => sum + mood, 0) / factors.length;
  const rules = planted.filter((rule) => [...wordsOf(rule.words)].every((word) => words.has(word)));
  return rules.reduce((clickFactor, { factor }) => clickFactor * factor, usual);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
}

/** An account's metrics on a day, derived from its monthly views. */
export function accountDay(accountId: string, monthlyViews: number, day: string): DayFacts {
  return dayOf(`${accountId} ${day}`, (monthlyViews / 30) * weekdayShare(day));
}

export function sumDays(days: readonly DayFacts[]): DayFacts {
  const sums = METRICS.map((metric) => [metric, days.reduce((sum, day) => sum + day[metric], 0)]);
  // Every metric was summed.
  return Object.fromEntries(sums) as DayFacts;
}

export function toMetrics(facts: DayFacts, names: readonly Metric[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, facts[name]]));
}

function dayOf(seed: string, expected: number, clickFactor = 1): DayFacts {
  // The fraction is rounded up with its own probability, so that small pins get a click now and then, too.
  const draw = (what: string, share: number, of: number) =>
    Math.min(of, Math.floor(of * share * (0.6 + 0.8 * chance(`${seed} ${what}`)) + chance(`${seed} ${what} rest`)));
  const impressions = Math.round(expected * (0.6 + 0.8 * chance(`${seed} seen`)));
  const outbound = draw("outbound", 0.011 * clickFactor, impressions);
  const pinClicks = Math.max(outbound, draw("clicks", 0.031, impressions));
  const saves = draw("saves", 0.014, impressions);
  return {
    IMPRESSION: impressions,
    PIN_CLICK: pinClicks,
    OUTBOUND_CLICK: outbound,
    SAVE: saves,
    ENGAGEMENT: pinClicks + outbound + saves,
  };
}

function weekdayShare(day: string): number {
  return WEEKDAY_SHARES[new Date(day).getUTCDay()] ?? 1;
}

/** A number from 0 to 1 that depends only on the text (FNV-1a with a final mix). */
export function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
