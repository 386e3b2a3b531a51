import { CircleCheck, CircleX } from "lucide-react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatUtcDateTime } from "#lib/core/time.ts";
import { formatMinutes, formatUptime, OUTAGES_MAX, UPTIME_CLAIM, uptimePercent } from "#lib/features/health/policy.ts";
import type { MeasuredDay, MeasuredWindow, Outage, UptimeReport } from "#lib/features/health/schema.ts";

const STEP = 10;
const WIDTH = 7;
const HEIGHT = 44;
/** Days with a lower uptime are shown as bad. */
const BAD_PERCENT = 99;
const LEAST_HEIGHT = 8;

const FILLS = { none: "fill-line", whole: "fill-growing", partial: "fill-low", bad: "fill-failed" } as const;

const toneOf = (day: MeasuredDay): "none" | "whole" | "partial" | "bad" => {
  const percent = uptimePercent(day);
  if (percent === null) return "none";
  if (day.recordedMinutes >= day.elapsedMinutes) return "whole";
  return percent >= BAD_PERCENT ? "partial" : "bad";
};

/** Worse days have shorter bars, so that color is not the only cue. */
const heightOf = (day: MeasuredDay): number => {
  const tone = toneOf(day);
  if (tone === "none") return LEAST_HEIGHT;
  if (tone === "whole") return HEIGHT;
  const share = day.recordedMinutes / day.elapsedMinutes;
  return Math.max(LEAST_HEIGHT, Math.min(HEIGHT - 8, share * (HEIGHT - 8)));
};

const describeDay = (day: MeasuredDay): string => `${day.day}: ${formatUptime(day) ?? "not measured"}`;

/** One bar per day, today at the right. The list below has the same data as text. */
export function DayStrip({ days }: { days: readonly MeasuredDay[] }) {
  const measured = days.filter(({ elapsedMinutes }) => elapsedMinutes > 0);
  return (
    <figure
      className={cn(
        "mt-8 [&>svg]:w-full [&>svg]:h-11",
        "[&_figcaption]:flex [&_figcaption]:justify-between [&_figcaption]:mt-2 [&_figcaption]:text-xs",
        "[&_figcaption]:text-ink-3",
      )}
    >
      <svg aria-hidden="true" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        {days.map((day, index) => (
          <rect
            key={day.day}
            data-slot="status-day"
            data-tone={toneOf(day)}
            className={FILLS[toneOf(day)]}
            x={index * STEP}
            y={HEIGHT - heightOf(day)}
            width={WIDTH}
            height={heightOf(day)}
            rx={1.5}
          >
            <title>{describeDay(day)}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{days.length} days ago</span>
        <span>Today (UTC)</span>
      </figcaption>
      {measured.length > 0 && (
        <details className="mt-4 text-sm">
          <summary className="inline-block cursor-pointer py-1 text-accent-ink underline underline-offset-3">
            Day by day
          </summary>
          <ul className="mt-2.5 columns-[14rem] gap-x-10">
            {measured.toReversed().map((day) => (
              <li
                key={day.day}
                className="flex break-inside-avoid justify-between gap-4 border-b border-line py-[7px] text-ink-2 num"
              >
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

function OutageLine({ outage }: { outage: Outage }) {
  return (
    <li>
      <span className="num">
        <time dateTime={outage.from}>{formatUtcDateTime(outage.from)}</time>
        {outage.until === null ? ", ongoing" : ""}
      </span>
      <span className="num">{formatMinutes(outage.minutes)}</span>
    </li>
  );
}

/** The latest outages. */
export function OutageList({ outages }: { outages: readonly Outage[] }) {
  return (
    <section className={cn("site-width", "py-[clamp(28px,3.4vw,48px)]")} aria-labelledby="interruptions">
      <h2 id="interruptions" className="title-2">
        Outages
      </h2>
      {outages.length === 0 ? (
        <p className="mt-3 text-ink-2">No outages in the last 90 days.</p>
      ) : (
        <>
          <p className="mt-3 text-ink-2">
            {outages.length < OUTAGES_MAX ? "All outages in the last 90 days." : `The last ${OUTAGES_MAX} outages.`}
          </p>
          <ul
            className={cn(
              "max-w-160 mt-4 text-sm",
              "[&>li]:flex [&>li]:justify-between [&>li]:gap-4 [&>li]:py-[7px] [&>li]:text-ink-2",
              "[&>li]:break-inside-avoid [&>li]:border-b [&>li]:border-line",
            )}
          >
            {outages.map((outage) => (
              <OutageLine key={outage.from} outage={outage} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

type PartName = "database" | "migrations" | "engine" | "storage";
type CurrentStatusProps = {
  name: string;
  parts: Record<PartName, { ok: boolean }>;
  /** ISO 8601 */
  checkedAt: string;
};

/** Parts as visitors know them. The website works if this page is shown. */
const PARTS = [
  { name: "Website", description: "Pages and API", needs: [] },
  { name: "Database", description: "Accounts, drafts, schedules, and credits", needs: ["database", "migrations"] },
  {
    name: "Pins",
    description: "Generating and publishing pins",
    needs: ["database", "engine", "storage"],
  },
] as const satisfies { name: string; description: string; needs: PartName[] }[];

/** The current status, checked at `checkedAt`. */
export function CurrentStatus({ name, parts, checkedAt }: CurrentStatusProps) {
  const rows = PARTS.map((part) => ({ ...part, works: part.needs.every((need) => parts[need].ok) }));
  const allWork = rows.every(({ works }) => works);
  return (
    <section
      className={cn(
        "site-width grid",
        "grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)] gap-y-10 gap-x-16 items-end",
        "pt-[clamp(36px,5.2vw,76px)] pb-[clamp(40px,4.6vw,66px)] max-lg:grid-cols-1 max-lg:items-start",
        "[&_em]:text-accent-ink [&_em]:tracking-[-0.04em]",
      )}
    >
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <div>
        <h1 className="display text-d2">
          {allWork ? (
            <>
              {name} is <em>up</em>
            </>
          ) : (
            `Part of ${name} is down`
          )}
        </h1>
        <p className="lead mt-5">
          {allWork
            ? "All systems were up at our last check on"
            : "Scheduled pins are safe and will be published once everything is back up. Last checked"}{" "}
          <time dateTime={checkedAt}>{formatUtcDateTime(checkedAt)}</time>.
        </p>
      </div>
      <ul
        className={cn(
          "[&>li]:flex [&>li]:justify-between [&>li]:gap-4 [&>li]:items-center [&>li]:py-3.5",
          "[&>li]:border-t [&>li]:border-line [&>li:last-child]:border-b [&>li:last-child]:border-line",
          "[&_b]:block [&_b]:font-semibold [&_span>span]:text-sm/[1.4] [&_span>span]:text-ink-2",
        )}
      >
        {rows.map((part) => (
          <li key={part.name}>
            <span>
              <b>{part.name}</b>
              <span>{part.description}</span>
            </span>
            {part.works ? (
              <Chip tone="published" className="flex-none" icon={<CircleCheck aria-hidden="true" />}>
                Working
              </Chip>
            ) : (
              <Chip tone="failed" className="flex-none" icon={<CircleX aria-hidden="true" />}>
                Down
              </Chip>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Explains the uptime figures. */
export function HowMeasured() {
  return (
    <section className={cn("site-width", "py-[clamp(28px,3.4vw,48px)]")} aria-labelledby="measured">
      <h2 id="measured" className="title-2">
        How this is measured
      </h2>
      <div className="mt-3 grid max-w-[62ch] gap-4 text-pretty text-ink-2">
        <p>
          Every minute, the system that publishes pins runs a small job that records the minute in the database. Each
          record shows that the website, the database, and publishing were all working at that time.
        </p>
        <p>
          A minute without a record counts as downtime, whatever the reason: a fault, an update, or planned maintenance.
          Uptime is the number of recorded minutes divided by the minutes elapsed, rounded down.
        </p>
        <p>This doesn’t cover Pinterest itself. When Pinterest isn’t responding, pins wait and are published later.</p>
      </div>
    </section>
  );
}

const countText = (minutes: number): string => minutes.toLocaleString("en-US");

function UptimeStat({ name, isWhole, ...measured }: MeasuredWindow) {
  const { recordedMinutes, elapsedMinutes } = measured;
  return (
    <div
      className={cn(
        "border-line px-5 pt-5.5 pb-6 not-first:border-l first:pl-0 [&_dt]:text-sm [&_dt]:text-ink-2",
        "[&_dd]:grid [&_dd]:gap-0.5 [&_dd]:text-sm/[1.45] [&_dd]:text-ink-2",
        "max-lg:odd:border-l-0 max-lg:odd:pl-0 max-lg:nth-[n+3]:border-t",
        "max-sm:[&:nth-child(n)]:border-l-0 max-sm:[&:nth-child(n)]:pl-0 max-sm:not-first:border-t",
      )}
    >
      <dt>{name}</dt>
      <dd>
        <span
          className={cn(
            "mt-1.5 mb-2 font-display text-[clamp(2.25rem,3.6vw,3.25rem)]/none font-[340] tracking-[-0.03em]",
            "lining-nums tabular-nums text-ink",
          )}
        >
          {formatUptime(measured) ?? "–"}
        </span>
        <span className="num">
          {elapsedMinutes === 0
            ? "Nothing measured yet."
            : `${countText(recordedMinutes)} of ${countText(elapsedMinutes)} minutes`}
        </span>
        {!isWhole && elapsedMinutes > 0 && <span>Only {formatMinutes(elapsedMinutes)} measured so far.</span>}
      </dd>
    </div>
  );
}

/** Measured uptime of four periods, beside the site's claim. */
export function UptimeStats({ report }: { report: UptimeReport }) {
  return (
    <>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        Our goal is {UPTIME_CLAIM} uptime.{" "}
        {report.since ? (
          <>
            Here’s what we’ve measured since <time dateTime={report.since}>{formatUtcDateTime(report.since)}</time>.
          </>
        ) : (
          "We’re recording the first minute now."
        )}
      </p>
      <dl className="grid grid-cols-4 mt-8 border-y border-line-2 max-lg:grid-cols-2 max-sm:grid-cols-1">
        {report.windows.map((window) => (
          <UptimeStat key={window.id} {...window} />
        ))}
      </dl>
    </>
  );
}
