export interface Measured {
  elapsedMinutes: number;
  recordedMinutes: number;
}

export interface MeasuredWindow extends Measured {
  id: string;
  name: string;
  /** False while the records do not cover the whole period yet. */
  isWhole: boolean;
}

/** In UTC, as `2026-11-20`. */
export interface MeasuredDay extends Measured {
  day: string;
}

/** Times are ISO 8601. */
export interface Outage {
  from: string;
  /** Null while the outage continues. */
  until: string | null;
  minutes: number;
}

export interface UptimeReport {
  since: string | null;
  /** Without the current minute. */
  until: string;
  windows: MeasuredWindow[];
  days: MeasuredDay[];
  outages: Outage[];
}
