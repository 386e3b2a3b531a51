import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { Measured } from "./schema.ts";

const UPTIME_CLAIM_PERCENT = 99.9;
export const UPTIME_CLAIM = `${UPTIME_CLAIM_PERCENT}%`;

export const UPTIME_WINDOWS = [
  { id: "day", name: "Last 24 hours", days: 1 },
  { id: "week", name: "Last 7 days", days: 7 },
  { id: "month", name: "Last 30 days", days: 30 },
  { id: "quarter", name: "Last 90 days", days: 90 },
] as const;

export const MEASURED_DAYS = 90;
export const MEASURED_MS = MEASURED_DAYS * DAY_MS;

export const OUTAGES_MAX = 10;

const SCALE = 1_000;

export const uptimePercent = ({ elapsedMinutes, recordedMinutes }: Measured): number | null =>
  elapsedMinutes === 0 ? null : (100 * recordedMinutes) / elapsedMinutes;

/** Rounded down so that a missing minute never shows as 100%. */
export const formatUptime = (measured: Measured): string | null => {
  const percent = uptimePercent(measured);
  if (percent === null) return null;
  if (measured.recordedMinutes >= measured.elapsedMinutes) return "100%";
  // The epsilon keeps values such as 99.3, which are inexact in binary, from becoming 99.299.
  return `${(Math.floor(percent * SCALE + 1e-6) / SCALE).toFixed(3).replace(/\.?0+$/, "")}%`;
};

export const formatMinutes = (minutes: number): string => {
  const parts = [
    { count: Math.floor(minutes / (24 * 60)), unit: "day" },
    { count: Math.floor(minutes / 60) % 24, unit: "hour" },
    { count: minutes % 60, unit: "minute" },
  ];
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return "0 minutes";
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}${count === 1 ? "" : "s"}`)
    .join(" ");
};

export const minutesBetween = (from: Date, until: Date): number =>
  Math.max(0, Math.round((until.getTime() - from.getTime()) / MINUTE_MS));

/** In UTC. */
export const dayStart = (at: Date, daysBefore = 0): Date =>
  new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS - daysBefore * DAY_MS);
