import CalendarClock from "lucide-react/icons/calendar-clock";
import Copy from "lucide-react/icons/copy";
import Unlink from "lucide-react/icons/unlink";
import type { ReactNode } from "react";
import { type SlotView, slotTime, twinText } from "#components/publishing/slot-notes.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";

/** A picture that is known by its title beside it. */
function Thumb({ src }: { src: string }) {
  return (
    // biome-ignore lint/performance/noImgElement: pins arrive finished, in small as well
    <img
      className="slot-thumb"
      src={src}
      srcSet={thumbnailSet(src)}
      sizes="40px"
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}

type NoteProps = { icon: ReactNode; pictures?: ReactNode; children: ReactNode };

function Note({ icon, pictures, children }: NoteProps) {
  return (
    <li className="slot-note">
      {icon}
      <span className="slot-words">{children}</span>
      {pictures && <span className="slot-twins">{pictures}</span>}
    </li>
  );
}

type SlotProps = { slot: SlotView; words: string; timeText: (at: Date) => string };

function Slot({ slot, words, timeText }: SlotProps) {
  const { post, dueAt, clash, twin, linkWarning } = slot;
  const isoText = (iso: string) => timeText(new Date(iso));
  return (
    <li className="slot">
      <Thumb src={post.image_url} />
      <div className="slot-facts">
        <time className="slot-time num" dateTime={dueAt.toISOString()}>
          {words}
        </time>
        <span className="slot-title">{post.title}</span>
        {(clash || twin || linkWarning) && (
          <ul className="slot-notes">
            {clash && (
              <Note icon={<CalendarClock aria-hidden="true" size={14} />}>
                Within five minutes of “{clash.title}”, {isoText(clash.scheduled_at)}.
              </Note>
            )}
            {twin && (
              <Note
                icon={<Copy aria-hidden="true" size={14} />}
                pictures={
                  <>
                    <Thumb src={post.image_url} />
                    <Thumb src={twin.image_url} />
                  </>
                }
              >
                {twinText(twin, isoText)}
              </Note>
            )}
            {linkWarning && <Note icon={<Unlink aria-hidden="true" size={14} />}>{linkWarning}</Note>}
          </ul>
        )}
      </div>
    </li>
  );
}

type SlotListProps = { id: string; slots: readonly SlotView[]; isAtOnce: boolean; now: Date; timeZone: string };

/** Every pin of a plan with its time, before anything is scheduled; as long as it is, it scrolls in its place. */
export function SlotList({ id, slots, isAtOnce, now, timeZone }: SlotListProps) {
  const timeText = (at: Date) => slotTime(at, now, timeZone);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard as well
    <section id={id} className="slots" aria-label="Times of the selected pins" tabIndex={0}>
      <ol>
        {slots.map((slot, k) => (
          <Slot
            key={slot.post.id}
            slot={slot}
            words={isAtOnce && k === 0 ? "At once" : timeText(slot.dueAt)}
            timeText={timeText}
          />
        ))}
      </ol>
    </section>
  );
}
