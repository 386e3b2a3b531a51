import TriangleAlert from "lucide-react/icons/triangle-alert";
import { cn } from "#components/ui/cn.ts";
import { formatDate } from "#lib/core/time.ts";
import { type SlotView, slotTime, warningCounts } from "./slot-notes.ts";
import type { Preview } from "./use-schedule-plan.ts";

type PlanWarningsProps = {
  slots: readonly SlotView[];
  preview: Preview;
  /** When the connection of one of the accounts ends, if pins are planned beyond it. */
  renewalDue: string | null;
  now: Date;
  timeZone: string;
  /** Opens the list of pins with their notes. */
  onShow: () => void;
  /** Uses the later start without clashes. */
  onTake: (start: Date) => void;
};

function RenewalNote({ dueAt, timeZone }: { dueAt: string; timeZone: string }) {
  return (
    <p data-slot="renewal-note" className="basis-full text-band-2">
      Your Pinterest connection expires on {formatDate(dueAt, timeZone)}. We'll renew it before then and email you if
      that fails.
    </p>
  );
}

/** A line of warnings about a plan, and a button for a start without clashes. Warnings never prevent scheduling. */
export function PlanWarnings({ slots, preview, renewalDue, now, timeZone, onShow, onTake }: PlanWarningsProps) {
  const warnings = warningCounts(slots);
  const free = preview.data?.free_start ? new Date(preview.data.free_start) : null;
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-y-1 gap-x-4 text-(--straw-300) has-[svg,button,[data-slot=renewal-note]]:basis-full",
        "[&:not(:has(svg,button,[data-slot=renewal-note]))]:absolute max-lg:order-1 [&>p]:flex [&>p]:items-center [&>p]:gap-2",
        "[&_svg]:flex-none num",
      )}
    >
      <p role="status">
        {(warnings.length > 0 || preview.problem) && <TriangleAlert aria-hidden="true" size={15} />}
        {warnings.length > 0 ? (
          <button
            type="button"
            className={cn(
              "min-h-[max(32px,var(--target-min))] bg-transparent text-inherit text-left underline",
              "decoration-dotted underline-offset-3",
            )}
            onClick={onShow}
          >
            {warnings.join(" · ")}
          </button>
        ) : (
          preview.problem
        )}
      </p>
      {free && (
        <button
          type="button"
          className={cn(
            "min-h-[max(32px,var(--target-min))] bg-transparent text-band-ink font-[550] text-left underline",
            "underline-offset-3 max-md:min-h-11",
          )}
          onClick={() => onTake(free)}
        >
          Start {slotTime(free, now, timeZone)} instead
        </button>
      )}
      {renewalDue && <RenewalNote dueAt={renewalDue} timeZone={timeZone} />}
    </div>
  );
}
