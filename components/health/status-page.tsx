import { CircleCheck, CircleX } from "lucide-react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatMoment } from "#lib/core/time.ts";
import { formatMinutes, formatUptime, GAPS_MAX, UPTIME_CLAIM, uptimePercent } from "#lib/features/health/policy.ts";
import type { Gap, MeasuredDay, MeasuredWindow, UptimeReport } from "#lib/features/health/schema.ts";

const STEP = 10;
const WIDTH = 7;
const HEIGHT = 44;
/** Below this share of its minutes a day is shown as bad. */
const BAD_PERCENT = 99;
const LEAST_HEIGHT = 8;

const toneOf = (day: MeasuredDay): "none" | "whole" | "partial" | "bad" => {
  const percent = uptimePercent(day);
  if (percent === null) return "none";
  if (day.recordedMinutes >= day.elapsedMinutes) return "whole";
  return percent >= BAD_PERCENT ? "partial" : "bad";
};

/** The worse a day, the shorter its bar; colour only repeats that. */
const heightOf = (day: MeasuredDay): number => {
  const tone = toneOf(day);
  if (tone === "none") return LEAST_HEIGHT;
  if (tone === "whole") return HEIGHT;
  const share = day.recordedMinutes / day.elapsedMinutes;
  return Math.max(LEAST_HEIGHT, Math.min(HEIGHT - 8, share * (HEIGHT - 8)));
};

const sayOf = (day: MeasuredDay): string => `${day.day}: ${formatUptime(day) ?? "not measured"}`;

/** Ninety days, one bar each, today at the right. The same in words is in the list below it. */
export function DayStrip({ days }: { days: readonly MeasuredDay[] }) {
  const measured = days.filter(({ elapsedMinutes }) => elapsedMinutes > 0);
  return (
    <figure className="status-days">
      <svg aria-hidden="true" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        {days.map((day, index) => (
          <rect
            key={day.day}
            className={`status-day status-day-${toneOf(day)}`}
            x={index * STEP}
            y={HEIGHT - heightOf(day)}
            width={WIDTH}
            height={heightOf(day)}
            rx={1.5}
          >
            <title>{sayOf(day)}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{days.length} days ago</span>
        <span>Today, in UTC</span>
      </figcaption>
      {measured.length > 0 && (
        <details className="status-day-list">
          <summary>Day by day</summary>
          <ul>
            {measured.toReversed().map((day) => (
              <li key={day.day} className="num">
                <time dateTime={day.day}>{day.day}</time>
                <span>{formatUptime(day)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </figure>
  );
}

function GapLine({ gap }: { gap: Gap }) {
  return (
    <li>
      <span className="num">
        <time dateTime={gap.from}>{formatMoment(gap.from)}</time>
        {gap.until === null ? ", still missing" : ""}
      </span>
      <span className="num">{formatMinutes(gap.minutes)}</span>
    </li>
  );
}

/** The latest times without records. */
export function GapList({ gaps }: { gaps: readonly Gap[] }) {
  return (
    <section className="site-width status-section" aria-labelledby="interruptions">
      <h2 id="interruptions" className="title-2">
        Interruptions
      </h2>
      {gaps.length === 0 ? (
        <p className="mt-3 text-ink-2">No minute is missing from the records of the last 90 days.</p>
      ) : (
        <>
          <p className="mt-3 text-ink-2">
            {gaps.length < GAPS_MAX
              ? "Every time in the last 90 days that minutes are missing from the records."
              : `The last ${GAPS_MAX} times that minutes are missing from the records.`}
          </p>
          <ul className="status-gaps">
            {gaps.map((gap) => (
              <GapLine key={gap.from} gap={gap} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

type PartName = "database" | "migrations" | "engine";
type HealthNowProps = {
  name: string;
  parts: Record<PartName, { ok: boolean }>;
  /** ISO 8601 */
  checkedAt: string;
};

/** What visitors know the parts as; this page being shown proves the first. */
const PARTS = [
  { name: "Website", words: "Pages and the calls of the screens", needs: [] },
  { name: "Database", words: "Accounts, drafts, schedules and credits", needs: ["database", "migrations"] },
  { name: "Pins at work", words: "Making pins and publishing them when they are due", needs: ["database", "engine"] },
] as const satisfies { name: string; words: string; needs: PartName[] }[];

/** What works, as seen at `checkedAt`. */
export function HealthNow({ name, parts, checkedAt }: HealthNowProps) {
  const rows = PARTS.map((part) => ({ ...part, works: part.needs.every((need) => parts[need].ok) }));
  const allWork = rows.every(({ works }) => works);
  return (
    <section className="site-width status-hero">
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <div>
        <h1 className="display text-d2">
          {allWork ? (
            <>
              {name} <em>works</em>
            </>
          ) : (
            `Part of ${name} does not work`
          )}
        </h1>
        <p className="lead mt-5">
          {allWork
            ? "Everything answered when it was last asked"
            : "What is scheduled is kept, and goes out when everything answers again. Everything was last asked"}
          , <time dateTime={checkedAt}>{formatMoment(checkedAt)}</time>.
        </p>
      </div>
      <ul className="status-parts">
        {rows.map((part) => (
          <li key={part.name}>
            <span>
              <b>{part.name}</b>
              <span>{part.words}</span>
            </span>
            {part.works ? (
              <Chip tone="published" icon={<CircleCheck aria-hidden="true" />}>
                Works
              </Chip>
            ) : (
              <Chip tone="failed" icon={<CircleX aria-hidden="true" />}>
                Does not work
              </Chip>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the figures mean, so that nobody has to trust them. */
export function HowMeasured() {
  return (
    <section className="site-width status-section" aria-labelledby="measured">
      <h2 id="measured" className="title-2">
        How this is measured
      </h2>
      <div className="mt-3 grid max-w-[62ch] gap-4 text-pretty text-ink-2">
        <p>
          Every minute the part of the service that publishes pins starts a small job, which writes that minute into the
          database. A record proves that the website, the database and the publishing worked together at that time.
        </p>
        <p>
          A minute without a record counts as down, whatever the reason: a fault, an update, a planned stop. Uptime is
          recorded minutes divided by the minutes that have passed, rounded down.
        </p>
        <p>It says nothing about Pinterest itself. When Pinterest does not answer, pins wait and are sent later.</p>
      </div>
    </section>
  );
}

const counted = (minutes: number): string => minutes.toLocaleString("en-US");

function Figure({ name, isWhole, ...measured }: MeasuredWindow) {
  const { recordedMinutes, elapsedMinutes } = measured;
  return (
    <div className="status-figure">
      <dt>{name}</dt>
      <dd>
        <span className="status-numeral">{formatUptime(measured) ?? "–"}</span>
        <span className="num">
          {elapsedMinutes === 0
            ? "No full minute is measured yet."
            : `${counted(recordedMinutes)} of ${counted(elapsedMinutes)} minutes`}
        </span>
        {!isWhole && elapsedMinutes > 0 && <span>Only {formatMinutes(elapsedMinutes)} measured so far.</span>}
      </dd>
    </div>
  );
}

/** Recorded by elapsed minutes over four spans, beside the claim (R-GEN-04). */
export function UptimeFigures({ report }: { report: UptimeReport }) {
  return (
    <>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        We aim for {UPTIME_CLAIM} and say so on this site. Below is what was measured
        {report.since ? (
          <>
            {" "}
            since <time dateTime={report.since}>{formatMoment(report.since)}</time>.
          </>
        ) : (
          ": nothing yet. The first minute is being recorded."
        )}
      </p>
      <dl className="status-figures">
        {report.windows.map((window) => (
          <Figure key={window.id} {...window} />
        ))}
      </dl>
    </>
  );
}
