import { STAGE_LABELS, type StageCode } from "#lib/features/generation/constants.ts";
import type { TrackingWire } from "#lib/features/generation/schema.ts";

/** The codes in the order of the work; the three that mean failure are one. */
const ORDER: StageCode[] = [
  "PENDING",
  "GENERATING_TITLE",
  "TITLE_GENERATED",
  "GENERATING_DESCRIPTION",
  "DESCRIPTION_GENERATED",
  "GENERATING_IMAGE",
  "IMAGE_GENERATED",
  "RETRY",
  "SUCCESS",
];

const CLASSES: Partial<Record<StageCode, string>> = { PENDING: "is-waiting", SUCCESS: "is-done" };

const wireKey = (code: StageCode): Lowercase<StageCode> =>
  // The wire's keys are the codes in lower case.
  code.toLowerCase() as Lowercase<StageCode>;

/** How many tasks are in each stage, by its literal label (R-TRK-12 calls revoked ones failed, too); no empty ones. */
export function StageCounts({ counts }: { counts: TrackingWire["stage_counts"] }) {
  const failed = counts.failed + (counts.revoked || 0);
  return (
    <ul className="stage-counts num">
      {ORDER.filter((code) => counts[wireKey(code)] > 0).map((code) => (
        <li key={code} className={CLASSES[code] ?? "is-growing"}>
          <i aria-hidden="true" />
          {STAGE_LABELS[code]} <b>{counts[wireKey(code)]}</b>
        </li>
      ))}
      {failed > 0 && (
        <li className="is-failed">
          <i aria-hidden="true" />
          {STAGE_LABELS.FAILURE} <b>{failed}</b>
        </li>
      )}
    </ul>
  );
}
