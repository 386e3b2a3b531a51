import { dayLabel } from "#components/publishing/moments.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import { metricsText, PinRow, totalsOf } from "./calendar-pin.tsx";

type DayDialogProps = { date: string | null; pins: readonly CalendarPinWire[]; zone: string; onClose: () => void };

/** All pins of a day, with their results together. */
export function DayDialog({ date, pins, zone, onClose }: DayDialogProps) {
  const own = date === null ? [] : pins.filter(({ at }) => localTimeOf(new Date(at), zone).date === date);
  return (
    <Dialog
      isOpen={date !== null}
      onClose={onClose}
      title={date ? dayLabel(date) : ""}
      description={metricsText(totalsOf(own))}
      width="md"
      hasCloseButton
    >
      <div className="mt-4">
        {own.map((pin) => (
          <PinRow key={pin.id} pin={pin} />
        ))}
        {own.length === 0 && <p className="text-ink-3">No pins on this day.</p>}
      </div>
    </Dialog>
  );
}
