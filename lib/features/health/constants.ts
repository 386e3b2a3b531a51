import { DAY_MS } from "#lib/core/time.ts";

/** R-GEN-04, A-39: what the site claims; wherever it stands, it leads to `/status`. */
export const UPTIME_CLAIM_PERCENT = 99.9;
export const UPTIME_CLAIM = `${UPTIME_CLAIM_PERCENT}%`;

/** The spans that the status page tells the uptime of. */
export const UPTIME_WINDOWS = [
  { id: "day", name: "Last 24 hours", days: 1 },
  { id: "week", name: "Last 7 days", days: 7 },
  { id: "month", name: "Last 30 days", days: 30 },
  { id: "quarter", name: "Last 90 days", days: 90 },
] as const;

/** The longest of them, and how many days the page shows one by one. */
export const MEASURED_DAYS = 90;
export const MEASURED_MS = MEASURED_DAYS * DAY_MS;

/** Interruptions that the page lists, the newest first. */
export const GAPS_MAX = 10;
