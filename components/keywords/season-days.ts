import type { DayRange } from "#lib/core/paths.ts";
import type { SeasonWire } from "#lib/features/keywords/schema.ts";

/** The days left to publish for a season: its best weeks, or once they have passed, until the peak. @param today UTC day */
export const publishDays = ({ peak_day, publish_from, publish_to }: SeasonWire, today: string): DayRange | null => {
  const to = today <= publish_to ? publish_to : peak_day;
  const from = today > publish_from ? today : publish_from;
  return from <= to ? { from, to } : null;
};

/** The days that suit all of these seasons; `apart` when there are none, null without a season. @param today UTC day */
export const sharedDays = (seasons: Iterable<SeasonWire | null>, today: string): DayRange | "apart" | null => {
  const all = [...seasons].flatMap((season) => (season && publishDays(season, today)) ?? []);
  const from = all
    .map((days) => days.from)
    .toSorted()
    .at(-1);
  const to = all.map((days) => days.to).toSorted()[0];
  if (from === undefined || to === undefined) return null;
  return from <= to ? { from, to } : "apart";
};
