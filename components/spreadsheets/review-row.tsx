import Clock from "lucide-react/icons/clock";
import ImageOff from "lucide-react/icons/image-off";
import Pencil from "lucide-react/icons/pencil";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unlink from "lucide-react/icons/unlink";
import { Button } from "#components/ui/button.tsx";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Spinner } from "#components/ui/spinner.tsx";
import { formatDateTime } from "#lib/core/time.ts";
import { hasLinkWarning } from "#lib/features/links/policy.ts";
import { FIELD_LABELS } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire, ReviewRowWire } from "#lib/features/spreadsheets/schema.ts";
import { useChosen } from "./use-review.ts";

function RowImage({ row }: { row: ReviewRowWire }) {
  const frame = "grid aspect-2/3 w-14 flex-none place-items-center overflow-hidden rounded-[6px] bg-well text-ink-3";
  if (row.image_url) {
    return (
      // biome-ignore lint/performance/noImgElement: thumbnails are already small, and screens don't use next/image
      <img src={row.image_url} alt="" loading="lazy" className={cn(frame, "object-cover")} />
    );
  }
  return (
    <span className={frame}>
      {row.image_state === "waiting" ? <Spinner /> : <ImageOff aria-hidden="true" size={18} strokeWidth={1.6} />}
      <span className="sr-only">{row.image_state === "waiting" ? "The image is being fetched" : "No image"}</span>
    </span>
  );
}

const outcomeOf = (row: ReviewRowWire, open: ImportWire): string => {
  if (!row.is_chosen) return "Skipped";
  return row.scheduled_at ? `Scheduled for ${formatDateTime(row.scheduled_at, open.time_zone)}` : "Draft";
};

function RowFacts({ row, open }: { row: ReviewRowWire; open: ImportWire }) {
  const hasNotes = row.problems.length + row.notes.length > 0 || row.link_warning !== null || row.pace_warning !== null;
  return (
    <div className="min-w-0 flex-1 text-sm wrap-anywhere">
      <p className="num text-xs text-ink-3">
        Row {row.number} · {outcomeOf(row, open)}
        {row.is_changed && " · Edited"}
      </p>
      <p className="font-[550] text-ink">{row.values.title || "No title"}</p>
      <p className="text-ink-2">{row.board ?? (row.values.board || "No board")}</p>
      {row.values.link !== "" && <p className="truncate text-ink-3">{row.values.link}</p>}
      {row.link_checking && <p className="text-ink-3">Checking the link…</p>}
      {hasNotes && (
        <ul className="mt-1.5 grid gap-1">
          {row.problems.map(({ field, text }) => (
            <li key={`${field}${text}`} data-slot="row-problem" className="flex gap-1.5 font-medium text-failed-ink">
              <TriangleAlert aria-hidden="true" size={15} className="mt-0.5 flex-none" />
              <span>
                {FIELD_LABELS[field]}: {text}
              </span>
            </li>
          ))}
          {row.link_warning !== null && !row.link_checking && (
            <li
              data-slot="row-link"
              className={cn("flex gap-1.5", hasLinkWarning(row.link_state) ? "text-low-ink" : "text-ink-3")}
            >
              <Unlink aria-hidden="true" size={15} className="mt-0.5 flex-none" />
              {row.link_warning}
            </li>
          )}
          {row.pace_warning !== null && (
            <li className="flex gap-1.5 text-low-ink">
              <Clock aria-hidden="true" size={15} className="mt-0.5 flex-none" />
              {row.pace_warning}
            </li>
          )}
          {row.notes.map(({ field, text }) => (
            <li key={`${field}${text}`} className="text-ink-3">
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type ReviewRowProps = {
  row: ReviewRowWire;
  open: ImportWire;
  isDisabled: boolean;
  onChoose: (isChosen: boolean) => Promise<unknown>;
  onEdit: () => void;
};

/** A row of the sheet as it would become. */
export function ReviewRow({ row, open, isDisabled, onChoose, onEdit }: ReviewRowProps) {
  const [isChosen, choose] = useChosen(row.is_chosen);
  return (
    <div className="flex items-start gap-3 max-sm:flex-wrap">
      <label className="grid min-h-(--target-min) place-items-center">
        <input
          type="checkbox"
          className={CHECKBOX}
          aria-label={`Import row ${row.number}`}
          checked={isChosen}
          disabled={isDisabled}
          onChange={(event) => void choose(event.target.checked, onChoose(event.target.checked))}
        />
      </label>
      <RowImage row={row} />
      <RowFacts row={row} open={open} />
      <Button size="sm" disabled={isDisabled} onClick={onEdit} className="max-sm:w-full max-sm:min-h-11">
        <Pencil aria-hidden="true" />
        {row.problems.length > 0 ? "Fix" : "Edit"}
        <span className="sr-only"> row {row.number}</span>
      </Button>
    </div>
  );
}
