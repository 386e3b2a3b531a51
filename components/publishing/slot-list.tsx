import CalendarClock from "lucide-react/icons/calendar-clock";
import Clock from "lucide-react/icons/clock";
import Copy from "lucide-react/icons/copy";
import Unlink from "lucide-react/icons/unlink";
import type { ReactNode } from "react";
import { clockChangeNote } from "#components/publishing/moments.ts";
import { duplicateText, type SlotView, slotTime } from "#components/publishing/slot-notes.ts";
import { cn } from "#components/ui/cn.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";

/** Decorative: the pin's title is next to it. */
function Thumb({ src, isSmall = false }: { src: string; isSmall?: boolean }) {
  return (
    // biome-ignore lint/performance/noImgElement: pins arrive finished, in small as well
    <img
      className={cn("object-cover bg-band-raised", isSmall ? "h-10 w-6.5 rounded-[4px]" : "h-14 w-9 rounded-[5px]")}
      src={src}
      srcSet={thumbnailSet(src)}
      sizes="40px"
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}

type NoteProps = { icon: ReactNode; images?: ReactNode; isWarning?: boolean; children: ReactNode };

function Note({ icon, images, isWarning = true, children }: NoteProps) {
  return (
    <li
      className={cn(
        "flex gap-2 wrap-anywhere [&>svg]:flex-none [&>svg]:mt-0.5",
        isWarning ? "text-(--straw-300)" : "text-band-2",
      )}
    >
      {icon}
      <span className="min-w-0">{children}</span>
      {images && (
        <span data-slot="slot-duplicates" className="flex flex-none gap-1">
          {images}
        </span>
      )}
    </li>
  );
}

type SlotProps = {
  slot: SlotView;
  label: string;
  timeZone: string;
  timeText: (at: Date) => string;
  children?: ReactNode;
};

function Slot({ slot, label, timeZone, timeText, children }: SlotProps) {
  const { pin, dueAt, clash, duplicate, linkWarning, paceNotes } = slot;
  const clockNote = clockChangeNote(dueAt, timeZone);
  const hasNotes = clockNote || clash || duplicate || linkWarning || paceNotes.length > 0;
  const isoText = (iso: string) => timeText(new Date(iso));
  return (
    <li
      data-slot="slot"
      className={cn(
        "grid grid-cols-[36px_minmax(0,1fr)] items-start gap-3 border-band-line py-2 not-first:border-t",
        "[content-visibility:auto] [contain-intrinsic-size:auto_72px]",
      )}
    >
      <Thumb src={pin.image_url} />
      <div className="grid grid-cols-[12.5rem_minmax(0,1fr)] gap-y-[3px] gap-x-4 max-md:grid-cols-1">
        <time className="font-semibold num" dateTime={dueAt.toISOString()}>
          {label}
        </time>
        <span className="wrap-anywhere text-band-2">{pin.title}</span>
        {hasNotes && (
          <ul className="col-span-full grid gap-1">
            {clockNote && (
              <Note icon={<Clock aria-hidden="true" size={14} />} isWarning={false}>
                {clockNote}
              </Note>
            )}
            {clash && (
              <Note icon={<CalendarClock aria-hidden="true" size={14} />}>
                Within five minutes of “{clash.title}”, {isoText(clash.scheduled_at)}.
              </Note>
            )}
            {duplicate && (
              <Note
                icon={<Copy aria-hidden="true" size={14} />}
                images={
                  <>
                    <Thumb src={pin.image_url} isSmall />
                    <Thumb src={duplicate.image_url} isSmall />
                  </>
                }
              >
                {duplicateText(duplicate, isoText)}
              </Note>
            )}
            {paceNotes.map(({ text, isWarning }) => (
              <Note key={text} icon={<Clock aria-hidden="true" size={14} />} isWarning={isWarning}>
                {text}
              </Note>
            ))}
            {linkWarning && <Note icon={<Unlink aria-hidden="true" size={14} />}>{linkWarning}</Note>}
          </ul>
        )}
        {children}
      </div>
    </li>
  );
}

type SlotListProps = {
  id: string;
  slots: readonly SlotView[];
  startsNow: boolean;
  now: Date;
  timeZone: string;
  /** Below a pin's notes, such as a control for its time. */
  controlOf?: (slot: SlotView) => ReactNode;
};

/** Every pin of a plan with its time, before anything is scheduled; scrolls when it is long. */
export function SlotList({ id, slots, startsNow, now, timeZone, controlOf }: SlotListProps) {
  const timeText = (at: Date) => slotTime(at, now, timeZone);
  return (
    <section
      id={id}
      data-slot="slots"
      className={cn(
        "col-span-full max-h-[min(34dvh,380px)] mt-0 -mb-1 -mx-2 py-0 px-2 overflow-y-auto",
        "overscroll-contain [scrollbar-color:var(--band-2)_transparent]",
        "max-lg:max-h-[clamp(88px,50dvh_-_272px,340px)] max-lg:order-3",
      )}
      aria-label="Publishing times for the selected pins"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard as well
      tabIndex={0}
    >
      <ol>
        {slots.map((slot, k) => (
          <Slot
            key={slot.pin.id}
            slot={slot}
            label={startsNow && k === 0 ? "Now" : timeText(slot.dueAt)}
            timeZone={timeZone}
            timeText={timeText}
          >
            {controlOf?.(slot)}
          </Slot>
        ))}
      </ol>
    </section>
  );
}
