import type { DayRange } from "#lib/core/paths.ts";
import { countOf, formatCount } from "#lib/core/text.ts";
import { GROWTH_OVER, OWN_PINS_DAYS, type TrendType } from "#lib/features/keywords/constants.ts";
import type { OwnPinsWire, SeasonWire, TrendWeekWire } from "#lib/features/keywords/schema.ts";

export const TYPE_LABELS: Record<TrendType, string> = {
  growing: "Growing now",
  monthly: "Top this month",
  yearly: "Top this year",
  seasonal: "Seasonal",
};

const format = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** 'Nov 27', from a UTC day. */
export const dayText = (day: string): string => format.format(new Date(day));

/** '+50%', '-5%', 'over 10,000%'; a dash for an unknown growth. */
export const growthText = (percent: number | null): string => {
  if (percent === null) return "–";
  if (percent >= GROWTH_OVER) return "over 10,000%";
  return `${percent > 0 ? "+" : ""}${percent.toLocaleString("en-US")}%`;
};

const highest = (weeks: readonly TrendWeekWire[]): TrendWeekWire | null =>
  weeks.reduce<TrendWeekWire | null>((best, week) => (best === null || week.value > best.value ? week : best), null);

/** The sparkline in words. */
export const seriesText = (weeks: readonly TrendWeekWire[], forecast: readonly TrendWeekWire[]): string => {
  const [past, next] = [highest(weeks), highest(forecast)];
  if (!past) return "No weekly data";
  const ahead = next ? `; forecast to peak in the week ending ${dayText(next.end_day)}` : "";
  return `Searches over the past year, peaking in the week ending ${dayText(past.end_day)}${ahead}`;
};

/** When to publish. @param today UTC day */
export const publishText = ({ publish_from, publish_to }: SeasonWire, today: string): string => {
  if (today < publish_from) return `Publish between ${dayText(publish_from)} and ${dayText(publish_to)}`;
  if (today <= publish_to) return `Publish now through ${dayText(publish_to)}`;
  return "The best weeks to publish have passed. You can still publish now.";
};

/** When to publish pins for all selected keywords. */
export const planText = (days: DayRange | "apart"): string =>
  days === "apart"
    ? "These seasons don't overlap. Create pins for each season separately."
    : `Publish from ${dayText(days.from)} to ${dayText(days.to)}`;

/** '2 pins, with 1,240 impressions and 12 clicks in the last 90 days'. */
export const ownPinsText = (own: OwnPinsWire | null): string => {
  if (!own) return "None yet";
  if (own.counted_pins === 0) return countOf(own.pins, "pin");
  const results = `${countOf(own.impressions, "impression")} and ${countOf(own.outbound_clicks, "click")}`;
  return `${countOf(own.pins, "pin")}, with ${results} in the last ${OWN_PINS_DAYS} days`;
};

export const selectedText = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "keyword" : "keywords"} selected`;
