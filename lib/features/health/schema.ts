/** How many minutes of a span have passed, and in how many of them the product worked. */
export interface Measured {
  elapsedMinutes: number;
  recordedMinutes: number;
}

export interface MeasuredWindow extends Measured {
  id: string;
  name: string;
  /** False while fewer minutes are measured than the span has. */
  isWhole: boolean;
}

/** A calendar day in UTC, as `2026-11-20`. */
export interface MeasuredDay extends Measured {
  day: string;
}

/** A time without records. Moments are ISO 8601. */
export interface Gap {
  from: string;
  /** The first minute that was recorded again; null while the gap goes on. */
  until: string | null;
  minutes: number;
}

/** What was measured of the product's uptime. */
export interface UptimeReport {
  /** The first recorded minute; null before there is one. */
  since: string | null;
  /** The end of what is counted: the minute that runs now is not over. */
  until: string;
  windows: MeasuredWindow[];
  days: MeasuredDay[];
  gaps: Gap[];
}
