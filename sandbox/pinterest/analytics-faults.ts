import type { Context } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import type { StandInEnv } from "../kit/serve.ts";
import type { ReportDay } from "./analytics-days.ts";

/** The days of a report as a fault that is being played spoils them; without one as they are. */
export function disturbDays(c: Context<StandInEnv>, days: readonly ReportDay[]): unknown[] {
  if (isPlaying(c, "analytics-days-missing")) return days.filter((_, index) => index % 4 !== 3).toReversed();
  if (isPlaying(c, "analytics-nonsense")) return days.map((day, index) => nonsense(day, index));
  return [...days];
}

/** The pins of an answer about many, as a fault that is being played leaves them. */
export function disturbPins<P>(c: Context<StandInEnv>, pins: readonly P[]): P[] {
  return isPlaying(c, "analytics-pins-missing") ? pins.filter((_, index) => index % 3 !== 2) : [...pins];
}

/** Every second day stays as it is. */
function nonsense(day: ReportDay, index: number): unknown {
  switch (index % 8) {
    case 1:
      return { ...day, metrics: { ...day.metrics, IMPRESSION: -7 } };
    case 3:
      return { ...day, metrics: { ...day.metrics, OUTBOUND_CLICK: 1e15 } };
    case 5:
      return { date: day.date, data_status: day.data_status };
    case 7:
      return { ...day, data_status: "ALMOST_READY" };
    default:
      return day;
  }
}
