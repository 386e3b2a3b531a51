import "server-only";
import type { Ctx } from "#lib/context.ts";
import { addMs, DAY_MS, toIso, toIsoOrNull } from "#lib/core/time.ts";
import { GAPS_MAX, MEASURED_DAYS, MEASURED_MS, UPTIME_WINDOWS } from "./constants.ts";
import { dayStart, minutesBetween } from "./policy.ts";
import { countDays, countMinutes, findGaps, findSpan } from "./queries.ts";
import type { MeasuredDay, UptimeReport } from "./schema.ts";

const laterOf = (a: Date, b: Date): Date => (a > b ? a : b);

const daysOf = (since: Date, until: Date, recorded: ReadonlyMap<string, number>): MeasuredDay[] =>
  Array.from({ length: MEASURED_DAYS }, (_, index) => {
    const start = dayStart(until, MEASURED_DAYS - 1 - index);
    const end = addMs(start, DAY_MS);
    const day = toIso(start).slice(0, 10);
    const elapsedMinutes = minutesBetween(laterOf(start, since), end < until ? end : until);
    return { day, elapsedMinutes, recordedMinutes: recorded.get(day) ?? 0 };
  });

/**
 * The uptime as it was measured: recorded minutes by elapsed minutes, for each span, counted from the first
 * record where that is younger than the span. Four queries.
 */
export const readUptime = async (ctx: Ctx): Promise<UptimeReport> => {
  const { since, until } = await findSpan(ctx);
  const first = since ?? until;
  const startOf = (days: number) => laterOf(addMs(until, -days * DAY_MS), first);
  const starts = new Map(UPTIME_WINDOWS.map(({ id, days }): [string, Date] => [id, startOf(days)]));
  const firstDay = laterOf(dayStart(until, MEASURED_DAYS - 1), first);
  const [counts, recordedDays, gaps] = await Promise.all([
    countMinutes(ctx, starts, until),
    countDays(ctx, firstDay, until),
    findGaps(ctx, { from: laterOf(addMs(until, -MEASURED_MS), first), until, limit: GAPS_MAX }),
  ]);
  return {
    since: toIsoOrNull(since),
    until: toIso(until),
    windows: UPTIME_WINDOWS.map(({ id, name, days }) => ({
      id,
      name,
      isWhole: first <= addMs(until, -days * DAY_MS),
      elapsedMinutes: minutesBetween(startOf(days), until),
      recordedMinutes: counts.get(id) ?? 0,
    })),
    days: daysOf(first, until, recordedDays),
    gaps: gaps.map((gap) => ({
      from: toIso(gap.from),
      until: gap.isOpen ? null : toIso(gap.until),
      minutes: minutesBetween(gap.from, gap.until),
    })),
  };
};
