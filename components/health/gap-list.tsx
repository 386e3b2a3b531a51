import { formatMoment } from "#lib/core/time.ts";
import { formatMinutes, GAPS_MAX } from "#lib/features/health/policy.ts";
import type { Gap } from "#lib/features/health/schema.ts";

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
