import { Thread } from "#components/pins/thread.tsx";
import { roundToMinute, timelineOf } from "#components/publishing/schedule-view.ts";

type ScheduleTimelineProps = { count: number; intervalMinutes: number; now: Date; timeZone: string };

const WIDTH = 400;
const EDGE = 0.09;

const placeOf = (share: number): number => EDGE + share * (1 - 2 * EDGE);

/** The thread of the schedule bar: when the first and the last pin would go out, and two between them; days above hours. */
export function ScheduleTimeline({ count, intervalMinutes, now, timeZone }: ScheduleTimelineProps) {
  const tacks = timelineOf(count, roundToMinute(now), intervalMinutes);
  const span = (count - 1) * intervalMinutes;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "numeric",
    ...(span >= 1_440 ? { month: "short", day: "numeric" } : { minute: "2-digit" }),
  });
  return (
    <div className="schedule-line num" aria-hidden="true">
      <Thread
        points={tacks.map(({ share }) => ({ x: placeOf(share) * WIDTH, y: 10 }))}
        width={WIDTH}
        height={52}
        isStretched
        hasShadow={false}
      />
      {tacks.map(({ share, at }) => (
        <span key={share} className="schedule-tack" style={{ left: `${placeOf(share) * 100}%` }}>
          {format.format(at).replace(", ", "\n")}
        </span>
      ))}
    </div>
  );
}
