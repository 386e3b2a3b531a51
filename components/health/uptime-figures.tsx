import { formatMoment } from "#lib/core/time.ts";
import { formatMinutes, formatUptime, UPTIME_CLAIM } from "#lib/features/health/policy.ts";
import type { MeasuredWindow, UptimeReport } from "#lib/features/health/schema.ts";

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
