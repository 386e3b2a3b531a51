import TriangleAlert from "lucide-react/icons/triangle-alert";
import { noteCounts, type SlotView, slotTime } from "#components/publishing/slot-notes.ts";
import type { Preview } from "#components/publishing/use-preview.ts";

type PlanNotesProps = {
  slots: readonly SlotView[];
  preview: Preview;
  now: Date;
  timeZone: string;
  /** Shows the pins and what speaks against each. */
  onShow: () => void;
  /** Takes the later start from which nothing is too close. */
  onTake: (start: Date) => void;
};

/** What speaks against a plan, in a line, and a start that is free of it one press away. It holds nothing back. */
export function PlanNotes({ slots, preview, now, timeZone, onShow, onTake }: PlanNotesProps) {
  const notes = noteCounts(slots);
  const free = preview.data?.free_start ? new Date(preview.data.free_start) : null;
  return (
    <div className="schedule-notes num">
      <p role="status">
        {(notes.length > 0 || preview.problem) && <TriangleAlert aria-hidden="true" size={15} />}
        {notes.length > 0 ? (
          <button type="button" className="schedule-why" onClick={onShow}>
            {notes.join(" · ")}
          </button>
        ) : (
          preview.problem
        )}
      </p>
      {free && (
        <button type="button" className="schedule-take" onClick={() => onTake(free)}>
          Start {slotTime(free, now, timeZone)} instead
        </button>
      )}
    </div>
  );
}
